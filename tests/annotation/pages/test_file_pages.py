"""Exports and imports as the project's page offers them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from core.storage import blobs
from tests.annotation import files, scene
from tests.conftest import LabClient
from trajectories.annotation.jobs import LABEL_WORK, job_request
from trajectories.annotation.queues import services
from trajectories.models import AnnotationJob, AnnotationProject, Label

Lab = Callable[[User | None], LabClient]


@pytest.fixture
def project(owner: User) -> AnnotationProject:
    project = scene.project(owner)
    annotator = scene.annotator(project, owner)
    scene.label(services.slot_next(annotator.pk))
    return project


def send(client: LabClient, project: AnnotationProject, data: bytes, name: str, **fields: Any) -> Any:
    body = {"labels": SimpleUploadedFile(name, data), "kind": "person", **fields}
    return client.post(f"/annotation/{project.pk}/import/start", body)


def page_of(client: LabClient, project: AnnotationProject) -> str:
    return client.get(f"/annotation/{project.pk}/").content.decode()


def test_labels_are_exported_and_come_back(lab: Lab, owner: User, project: AnnotationProject) -> None:
    client = lab(owner)
    response = client.post(f"/annotation/{project.pk}/export", {"with_names": "1"})
    assert response["Location"] == f"/annotation/{project.pk}/#jobs"
    job = AnnotationJob.objects.get()
    assert (job.created_by, job.parameters) == (owner, {"with_names": True})
    assert "waiting" in page_of(client, project)
    LABEL_WORK.run(job.pk)
    page = page_of(client, project)
    (address,) = re.findall(rf"/annotation/{project.pk}/jobs/\d+/file", page)
    assert "1 label," in page
    response = client.get(address)
    assert response["Content-Disposition"] == f'attachment; filename="labels-{project.pk}-{job.pk}.zip"'
    data = response.getvalue()
    other = scene.project(owner, name="Again")
    assert send(client, other, data, "labels.zip", annotator="cy").status_code == 302
    LABEL_WORK.run(AnnotationJob.objects.get(project=other).pk)
    assert "Nothing was imported: 1 line cannot be imported." in page_of(client, other)
    assert send(client, project, data, "labels.zip", manifest="").status_code == 302
    LABEL_WORK.run(AnnotationJob.objects.filter(project=project).latest("pk").pk)
    assert "0 of 1 label added" in page_of(client, project)
    assert Label.objects.count() == 1
    assert client.get(address.replace(f"/{project.pk}/", f"/{other.pk}/")).status_code == 404
    job.refresh_from_db()
    blobs.blob_delete(job.result["sha256"], storage=blobs.PRIVATE)
    assert "Export the labels again" in client.get(address).content.decode()


def test_no_file_of_labels_is_read_by_its_hash(
    lab: Lab, api: Callable[..., Any], owner: User, project: AnnotationProject
) -> None:
    client, key = lab(owner), api("read", "trainer", "golds", "admin")
    sent = files.archive(project)
    assert send(client, project, sent, "labels.zip").status_code == 302
    job = job_request(project, "export", {}, user_id=owner.pk)
    LABEL_WORK.run(job.pk)
    job.refresh_from_db()
    for sha256 in (hashlib.sha256(sent).hexdigest(), job.result["sha256"]):
        assert blobs.blob_exists(sha256, storage=blobs.PRIVATE)
        assert client.get(f"/blobs/{sha256}").status_code == 404
        assert key.get(f"/api/v1/blobs/{sha256}").status_code == 404


def test_a_form_without_a_file_or_with_too_large_a_one_says_so(
    lab: Lab, owner: User, project: AnnotationProject, settings: Any
) -> None:
    client = lab(owner)
    assert client.get(f"/annotation/{project.pk}/import").status_code == 200
    response = client.post(f"/annotation/{project.pk}/import/start", {"kind": "robot"})
    assert response.status_code == 422
    assert "This field is required." in response.content.decode()
    settings.BLOB_MAX_BYTES = 10
    response = send(client, project, files.jsonl([{"episode": 1, "step": 1}]), "labels.jsonl")
    assert response.status_code == 422
    assert "the limit is 10" in response.content.decode()
    assert not AnnotationJob.objects.exists()


def test_annotators_have_no_files(lab: Lab, project: AnnotationProject) -> None:
    client = lab(scene.labeller("person"))
    assert client.post(f"/annotation/{project.pk}/export").status_code == 403
    assert client.get(f"/annotation/{project.pk}/import").status_code == 403
    assert client.get(f"/annotation/{project.pk}/jobs?fragment").status_code == 403
