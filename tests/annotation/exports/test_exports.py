"""Files of labels, and the manifest that names and checks them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from core import blobs
from tests.annotation import files, scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.exports import services as exports
from trajectories.annotation.exports.rows import annotator_names
from trajectories.annotation.jobs import services as jobs
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, Annotator, Label

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return [scene.labeller(name) for name in ("ana", "ben")]


@pytest.fixture
def project(people: list[User]) -> AnnotationProject:
    """Two units, each labelled by two people, and one of them settled."""
    project = scene.project(*people, of=scene.episodes(1, steps=2))
    for user in people:
        annotator = scene.annotator(project, user)
        scene.label(services.slot_next(annotator.pk), values={**COMPLETE, "behaviours": ["plan", "verify"]})
        scene.label(services.slot_next(annotator.pk))
    first = Label.objects.order_by("pk")[0]
    Label.objects.filter(pk=first.pk).update(note="=1+1", links={"plan": 7}, spans=[[0, 5]])
    first.pk, first.layer, first.key = None, "adjudicated", "5a6f4e0e-0000-4000-8000-000000000001"
    first.reason = "definition"
    first.save(force_insert=True)
    return project


def test_an_archive_has_every_label_and_a_manifest_that_checks_it(project: AnnotationProject) -> None:
    data = files.archive(project)
    rows = files.rows(data)
    assert [row["values"]["behaviours"] for row in rows] == [["plan", "verify"], ["plan"]] * 2
    assert rows[0]["spans"] == [[0, 5]]
    assert {row["annotator"] for row in rows} == {"ana", "ben"}
    assert (rows[0]["weight"], rows[0]["view"], rows[0]["codebook"]) == (1.0, "full", project.codebook_id)
    (settled,) = files.rows(data, "adjudicated.jsonl")
    assert settled["reason"] == "definition"
    table = files.member(data, "blind.csv").decode()
    first = next(csv.DictReader(table.splitlines()))
    assert (first["behaviours"], first["links"], first["note"]) == ("plan;verify", "plan=7", "'=1+1")
    manifest = json.loads(files.member(data, "manifest.json"))
    assert manifest["files"]["blind.csv"]["sha256"] == hashlib.sha256(table.encode()).hexdigest()
    assert {name: one["labels"] for name, one in manifest["files"].items()} == {
        "blind.jsonl": 4,
        "blind.csv": 4,
        "adjudicated.jsonl": 1,
        "adjudicated.csv": 1,
    }
    assert manifest["codebooks"][project.codebook_id]["fields"][0]["id"] == "type"
    assert manifest["strata"] == project.strata


def test_people_have_no_names_unless_these_are_requested(project: AnnotationProject) -> None:
    Annotator.objects.create(project=project, kind="rules", name="ribbon", settings={"version": 3})
    data = files.archive(project, with_names=False)
    assert {row["annotator"] for row in files.rows(data)} == {"A1", "A2"}
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        assert not any(b'"ana"' in bundle.read(name) for name in bundle.namelist())
    machine = json.loads(files.member(data, "manifest.json"))["annotators"][2]
    assert machine == {"name": "ribbon", "kind": "rules", "settings": {"version": 3}}


def test_the_work_of_a_job_stores_the_archive(project: AnnotationProject, as_role: Any) -> None:
    job = jobs.job_request(project, "export", {"with_names": True}, user_id=None)
    with as_role("gym_worker"):
        jobs.job_do(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem, job.done, job.total) == ("done", "", 5, 5)
    with blobs.blob_open(job.result["sha256"]) as file:
        stored = file.read()
    assert len(stored) == job.result["bytes"]
    assert len(files.rows(stored)) == 4


def test_a_project_without_labels_has_nothing_to_export(people: list[User]) -> None:
    job = jobs.job_request(scene.project(*people), "export", {}, user_id=None)
    jobs.job_do(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "Nobody has labelled anything in this project yet.")


@pytest.mark.django_db(transaction=True)
def test_an_import_meanwhile_is_in_no_file_of_an_export(
    project: AnnotationProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_one() -> None:
        row = {"episode": project.units.all()[0].episode_id, "step": 1, "values": COMPLETE}
        files.take(project, files.jsonl([row]), annotator="judge", kind="model")
        connection.close()

    def names(*arguments: Any, **options: Any) -> dict[int, str]:
        """Once the annotators have been read, and before their labels are."""
        with ThreadPoolExecutor() as pool:
            pool.submit(import_one).result()
        return annotator_names(*arguments, **options)

    monkeypatch.setattr(exports, "annotator_names", names)
    data = files.archive(project)

    assert Label.objects.filter(annotator__name="judge").exists()
    assert {row["annotator"] for row in files.rows(data)} == {"ana", "ben"}
    manifest = json.loads(files.member(data, "manifest.json"))
    assert [one["name"] for one in manifest["annotators"]] == ["ana", "ben"]
