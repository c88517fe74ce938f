"""Files of labels, and the manifest that names and checks them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from core.storage import blobs
from tests.annotation import files, scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation import archive
from trajectories.annotation.agreement.table import figures
from trajectories.annotation.export_kinds.labels import name_annotators
from trajectories.annotation.jobs import LABEL_WORK, job_request
from trajectories.annotation.queues import golds, services
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
    job = job_request(project, "export", {"with_names": True}, user_id=None)
    with as_role("gym_worker"):
        LABEL_WORK.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem, job.done, job.total) == ("done", "", 5, 5)
    with blobs.blob_open(job.result["sha256"], storage=blobs.PRIVATE) as file:
        stored = file.read()
    assert len(stored) == job.result["bytes"]
    assert len(files.rows(stored)) == 4


def test_a_project_without_labels_has_nothing_to_export(people: list[User]) -> None:
    job = job_request(scene.project(*people), "export", {}, user_id=None)
    LABEL_WORK.run(job.pk)
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
        return name_annotators(*arguments, **options)

    monkeypatch.setattr(archive, "name_annotators", names)
    data = files.archive(project)

    assert Label.objects.filter(annotator__name="judge").exists()
    assert {row["annotator"] for row in files.rows(data)} == {"ana", "ben"}
    manifest = json.loads(files.member(data, "manifest.json"))
    assert [one["name"] for one in manifest["annotators"]] == ["ana", "ben"]


def test_agreement_follows_from_the_files_of_an_export_alone(people: list[User]) -> None:
    """Golds, repeats, skips, corrections, machines, settled labels and other views are in the files too."""
    project = scene.project(*people, of=scene.episodes(4, steps=6), repeat_share=0.3)
    for unit in project.units.order_by("position")[:4]:
        golds.gold_set(unit, values=COMPLETE, why="It infers.")
    for place, user in enumerate(people):
        annotator = scene.annotator(project, user)
        turn = 0
        while (slot := services.slot_next(annotator.pk)) is not None:
            turn += 1
            _label(slot, turn=turn, place=place)
    row = {"episode": project.units.all()[0].episode_id, "step": 1, "values": COMPLETE}
    files.take(project, files.jsonl([row]), annotator="judge", kind="model")
    row = {**row, "layer": "adjudicated", "values": {**COMPLETE, "type": "narration"}}
    files.take(project, files.jsonl([row]), annotator="ana")

    data = files.archive(project, with_names=False)

    manifest = json.loads(files.member(data, "manifest.json"))
    table = list(csv.DictReader(files.member(data, "blind.csv").decode().splitlines()))
    shown = {one.field.id: one.whole for one in figures(project, view="").fields}
    for of_rows in (files.rows(data), [_plain(row) for row in table]):
        units = _answers(of_rows, manifest, field="type")
        assert _raw(units) == pytest.approx(shown["type"].raw.value)
        assert _alpha(units) == pytest.approx(shown["type"].alpha.value)
        with_golds = _answers([{**row, "is_gold": False} for row in of_rows], manifest, field="type")
        assert _raw(with_golds) != pytest.approx(shown["type"].raw.value)


def _label(slot: int, *, turn: int, place: int) -> None:
    """Ben says something else every third time; some are skipped, some corrected."""
    kind = "narration" if (turn + place) % (3 + place) == 0 else "reasoning"
    if turn % 7 == 0:
        scene.label(slot, state=Label.State.SKIPPED)
        return
    first = scene.label(slot, values={**COMPLETE, "type": kind})
    if turn % 5 == 0 and not first.is_repeat and first.unit.gold is None:
        scene.label(slot, values={**COMPLETE, "type": "mixed"}, answers={"spans": [[0, 5]]}, version=1)


def _plain(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of the table as the line says it."""
    truths = {name: row[name] == "true" for name in ("is_repeat", "is_gold")}
    numbers = {name: int(row[name]) for name in ("version", "episode", "step", "paragraph")}
    return {**row, **truths, **numbers, "values": {"type": row["type"]} if row["type"] else {}}


def _answers(
    rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any], *, field: str
) -> list[list[str]]:
    """What people say of each unit, by the rule of docs/annotation.md."""
    last: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in rows:
        is_taken = row["annotator_kind"] == "person" and not (row["is_repeat"] or row["is_gold"])
        if is_taken and row["codebook"] == manifest["codebook"] and row["view"] == manifest["views"][0]:
            last[row["episode"], row["step"], row["paragraph"], row["annotator"]] = row
    units: dict[tuple[Any, ...], list[str]] = {}
    for place, row in last.items():
        if row["state"] == "done" and field in row["values"]:
            units.setdefault(place[:3], []).append(row["values"][field])
    return [answers for answers in units.values() if len(answers) > 1]


def _raw(units: Iterable[list[str]]) -> float:
    return fmean(fmean(one == other for one, other in combinations(answers, 2)) for answers in units)


def _alpha(units: list[list[str]]) -> float:
    """Krippendorff's, nominal."""
    counts = Counter(answer for answers in units for answer in answers)
    total = sum(counts.values())
    apart = sum(
        sum(one != other for one, other in combinations(answers, 2)) * 2 / (len(answers) - 1)
        for answers in units
    )
    expected = sum(counts[one] * counts[other] for one in counts for other in counts if one != other)
    return 1 - (total - 1) * apart / expected
