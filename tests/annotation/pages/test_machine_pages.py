"""The page of machine annotators, the units behind its figures, and its file."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.annotation import scene
from tests.conftest import LabClient
from trajectories.annotation.machines.services import rules_label
from trajectories.annotation.queues import services
from trajectories.models import AnnotationJob, AnnotationProject, Annotator, Label

Lab = Callable[[User | None], LabClient]


def labelled(user: User, *, units: int) -> AnnotationProject:
    """A project in which a person calls every unit reasoning, and the rules narration."""
    project = scene.project(user, of=scene.episodes(2, steps=units // 2), name=f"of {units}")
    annotator = scene.annotator(project, user)
    for _ in range(units):
        scene.label(services.slot_next(annotator.pk))
    rules_label(project, lambda *_: None)
    Label.objects.filter(annotator__kind="rules").update(values={"type": "narration"})
    return project


@pytest.fixture
def project(owner: User) -> AnnotationProject:
    return labelled(owner, units=24)


def test_machines_stand_beside_people_and_every_figure_opens_its_units(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    machine = Annotator.objects.get(kind="rules")
    Annotator.objects.filter(pk=machine.pk).update(name="<b>Rules</b>")
    client = lab(owner)
    page = client.get(f"/annotation/{project.pk}/machines").content.decode()
    assert "&lt;b&gt;Rules&lt;/b&gt; and people" in page
    address = f"/annotation/{project.pk}/machines/units?field=type&machine={machine.pk}"
    units = client.get(f"{address}&option=reasoning&sign=people").content.decode()
    assert units.count("/steps/") == 24
    for sign, count in (("by_machine", 0), ("by_people", 24)):
        assert (
            client.get(f"{address}&option=reasoning&sign={sign}").content.decode().count("/steps/") == count
        )
    assert "/steps/" not in client.get(f"{address}&option=reasoning&sign=both").content.decode()
    assert client.get(f"{address}&option=nothing&sign=both").status_code == 404
    assert client.get(address.replace("type", "x")).status_code == 404
    assert client.get(f"/annotation/{project.pk}/machines/units?machine=999&field=type").status_code == 404


def test_the_file_has_the_rows_of_the_page(lab: Lab, owner: User, project: AnnotationProject) -> None:
    Annotator.objects.filter(kind="rules").update(name="=1+1")
    response = lab(owner).get(f"/annotation/{project.pk}/machines.csv")
    rows = list(csv.DictReader(response.content.decode().splitlines()))
    reasoning = next(row for row in rows if row["answer"] == "reasoning")
    assert (reasoning["machine"], reasoning["units"], reasoning["people_alone"]) == ("'=1+1", "24", "24")
    assert (reasoning["recall"], reasoning["raw"]) == ("0.0", "0.0")


def test_without_labels_of_people_machines_are_held_against_each_other(lab: Lab, owner: User) -> None:
    project = scene.project(of=scene.episodes(1, steps=4), overlap_share=0)
    rules_label(project, lambda *_: None)
    other = Annotator.objects.create(project=project, kind="model", name="Judge")
    for label in Label.objects.filter(annotator__kind="rules"):
        values = {"annotator": other, "key": scene.saving().key, "pk": None}
        Label.objects.create(
            **{name: getattr(label, name) for name in ("unit", "codebook", "version", "state", "values")},
            **values,
        )
    page = lab(owner).get(f"/annotation/{project.pk}/machines").content.decode()
    assert "No person has labelled a unit of this project yet" in page
    assert "Machines with each other" in page
    assert "and people</h2>" not in page


def test_imported_annotators_have_a_table_of_their_own(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    Annotator.objects.filter(kind="person").update(user=None, name="imported-canary")
    other = Annotator.objects.create(project=project, name="<i>other</i>")
    copied = ("unit", "codebook", "version", "state", "values")
    for label in Label.objects.filter(annotator__name="imported-canary"):
        values = {name: getattr(label, name) for name in copied}
        Label.objects.create(annotator=other, key=scene.saving().key, **values)
    page = lab(owner).get(f"/annotation/{project.pk}/machines").content.decode()
    assert "Imported annotators with each other" in page
    assert "People include annotators whose labels were imported" in page
    assert "&lt;i&gt;other&lt;/i&gt;" in page
    assert "<i>other" not in page


def test_a_machine_is_started_once_however_often_the_button_is_pressed(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    client = lab(owner)
    for machine, status in (("rules", 302), ("rules", 302), ("model", 302), ("x", 404)):
        address = f"/annotation/{project.pk}/machines/start"
        assert client.post(address, {"machine": machine, "url": "http://inside.test/"}).status_code == status
    assert list(AnnotationJob.objects.order_by("pk").values_list("parameters", "kind")) == [
        ({"machine": "rules"}, "machine"),
        ({"machine": "model"}, "machine"),
    ]
    AnnotationJob.objects.update(state="done", result={"labelled": 2, "unusable": 1, "deleted": 0})
    page = client.get(f"/annotation/{project.pk}/machines").content.decode()
    assert "2 units labelled" in page
    assert "No usable answer for 1." in page


def test_the_page_takes_as_many_queries_for_many_units_as_for_few(lab: Lab, owner: User) -> None:
    counts = []
    for size in (4, 12):
        project = labelled(owner, units=size)
        client = lab(owner)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/annotation/{project.pk}/machines").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_annotators_see_none_of_it(lab: Lab, project: AnnotationProject) -> None:
    client = lab(scene.labeller("person"))
    for page in ("machines", "machines.csv", "machines/units"):
        assert client.get(f"/annotation/{project.pk}/{page}").status_code == 403
    assert client.post(f"/annotation/{project.pk}/machines/start", {"machine": "rules"}).status_code == 403
