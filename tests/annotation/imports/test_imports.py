"""Files of labels that come back: nothing is lost, doubled or overwritten."""

from __future__ import annotations

import hashlib
import io
import json
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from core.errors import GymError
from core.storage.blobs import PRIVATE, blob_store
from tests.annotation import files, scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.agreement.selectors import read_labelled_units
from trajectories.annotation.imports import checks
from trajectories.annotation.imports import services as imports
from trajectories.annotation.imports.rows import csv_lines
from trajectories.annotation.jobs import LABEL_WORK, job_request
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, Annotator, CodebookVersion, Episode, Label
from trajectories.record import due_work

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture
def episodes() -> list[Episode]:
    return scene.episodes(1, steps=3)


@pytest.fixture
def project(episodes: list[Episode]) -> AnnotationProject:
    """Three units, labelled by ana; one was corrected, one skipped."""
    user = scene.labeller("ana")
    project = scene.project(user, of=episodes)
    annotator = scene.annotator(project, user)
    slots = [services.slot_next(annotator.pk) for _ in range(1)]
    scene.label(slots[0], values={**COMPLETE, "behaviours": []}, answers={"note": "=1\n+1, “so”"})
    scene.label(slots[0], version=1)
    scene.label(services.slot_next(annotator.pk), active_ms=700)
    scene.label(services.slot_next(annotator.pk), state="skipped")
    return project


@pytest.fixture
def other(episodes: list[Episode]) -> AnnotationProject:
    """Another project of the same units."""
    return scene.project(scene.labeller("ben"), of=episodes)


def contents(project: AnnotationProject) -> list[Row]:
    rows = files.rows(files.archive(project))
    for row in rows:
        for name in ("key", "stratum", "weight"):
            row.pop(name)
    return sorted(rows, key=lambda row: (row["step"], row["version"]))


@pytest.mark.parametrize("name", ["labels.zip", "blind.jsonl", "blind.csv"])
def test_labels_come_back_as_they_were_once(
    project: AnnotationProject, other: AnnotationProject, name: str
) -> None:
    data = files.archive(project)
    sent = data if name == "labels.zip" else files.member(data, name)
    manifest = None if name == "labels.zip" else files.member(data, "manifest.json")
    result = files.take(other, sent, name=name, manifest=manifest)
    assert (result["labels"], result["added"]) == (4, 4)
    assert contents(other) == contents(project)
    assert [row["values"].get("type") for row in contents(other)] == [
        row["values"].get("type") for row in contents(project)
    ]
    person = other.annotators.get(name="ana")
    assert (person.kind, person.user) == ("person", None)
    again = files.take(other, sent, name=name, manifest=manifest)
    assert (again["labels"], again["added"]) == (4, 0)
    home = files.take(project, sent, name=name)
    assert (home["added"], Annotator.objects.filter(project=project).count()) == (0, 1)


def test_aliases_double_nobody_in_their_own_project(project: AnnotationProject) -> None:
    result = files.take(project, files.archive(project, with_names=False), name="labels.zip")
    assert (result["labels"], result["added"]) == (4, 0)
    assert list(project.annotators.values_list("name", flat=True)) == ["ana"]


def test_labels_of_machines_and_of_others_can_be_named(
    project: AnnotationProject, other: AnnotationProject
) -> None:
    place = contents(project)[0]["episode"]
    rows = [{"episode": place, "step": 1, "values": COMPLETE}]
    files.take(other, files.jsonl(rows), annotator="judge", kind="model")
    assert other.annotators.get(name="judge").kind == "model"
    assert read_labelled_units(other) == []  # a machine's do not count as people's
    with pytest.raises(GymError, match="Rename the annotator in the file"):
        files.take(other, files.jsonl(rows), annotator="judge", kind="person")


def test_what_machines_leave_out_and_pages_cannot_show_is_no_error(
    project: AnnotationProject, other: AnnotationProject
) -> None:
    episode = contents(project)[0]["episode"]
    mixed = {"type": "mixed", "target": "both", "behaviours": [], "contradiction": "none"}
    rows = [
        {
            "episode": episode,
            "step": 1,
            "annotator": "r",
            "annotator_kind": "rules",
            "values": {"type": "narration"},
        },
        {"episode": episode, "step": 1, "annotator": "p", "view": "page", "values": mixed},
    ]
    assert files.take(other, files.jsonl(rows))["added"] == 2
    assert other.annotators.get(name="r").labels.get().values == {"type": "narration"}


BAD: dict[str, tuple[Callable[[Row], object], str]] = {
    "unknown step": (lambda row: row.update(step=99), "no unit for step 99 of episode"),
    "other places": (lambda row: row.update(end=row["end"] + 1), "the unit for step"),
    "unknown option": (lambda row: row["values"].update(type="musing"), "has no answer “musing”"),
    "unknown field": (lambda row: row["values"].update(mood="good"), "has no field “mood”"),
    "a field left open": (lambda row: row["values"].pop("type"), "no answer yet"),
    "an object for an answer": (
        lambda row: row["values"].update(type={"a": 1}),
        "Expected `int | str | array`",
    ),
    "unknown key": (lambda row: row.update(colour="red"), "unknown field `colour`"),
    "no step": (lambda row: row.pop("step"), "missing required field `step`"),
    "a huge number": (lambda row: row.update(active_ms=2**40), "Expected `int` <= 2147483647"),
    "no annotator": (lambda row: row.update(annotator=" "), "It names no annotator"),
    "other codebook": (lambda row: row.update(codebook="0" * 64), "Choose to take labels of other codebook"),
    "NUL": (lambda row: row.update(note="a\0b"), "NUL"),
    "NUL in a link": (lambda row: row.update(links={"pl\0an": 3}), "NUL"),
    "NUL in a field": (lambda row: row["values"].update({"ty\0pe": "x"}), "NUL"),
    "NUL in an answer": (lambda row: row["values"].update(type="a\0"), "NUL"),
    "NUL in a codebook": (lambda row: row.update(codebook="a\0"), "NUL"),
    "an answer twice": (lambda row: row["values"].update(behaviours=["plan", "plan"]), "“plan” twice"),
    "a span outside": (lambda row: row.update(spans=[[0, 10_000]]), "outside the unit"),
    "a time without zone": (lambda row: row.update(created_at="2026-01-01T00:00:00"), "timezone"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_line_keeps_the_whole_file_out_and_is_named(
    project: AnnotationProject, other: AnnotationProject, name: str
) -> None:
    spoil, sentence = BAD[name]
    rows = files.rows(files.archive(project))
    spoil(rows[1])
    with pytest.raises(GymError) as refusal:
        files.take(other, files.jsonl(rows))
    assert sentence in refusal.value.message
    (line,) = refusal.value.fields["lines"]
    assert line.startswith("Line 2: ")
    assert not Label.objects.filter(unit__project=other).exists()


def test_what_differs_from_a_stored_label_overwrites_nothing(project: AnnotationProject) -> None:
    rows = files.rows(files.archive(project))
    rows[0]["values"]["type"] = "narration"
    for key in (rows[0]["key"], None):
        rows[0]["key"] = key
        with pytest.raises(GymError, match="Imports overwrite nothing"):
            files.take(project, files.jsonl(rows))
    rows[0]["version"] = 3
    assert files.take(project, files.jsonl(rows))["added"] == 1


def test_a_file_that_contradicts_itself_is_refused(
    project: AnnotationProject, other: AnnotationProject
) -> None:
    first = files.rows(files.archive(project))[0]
    assert files.take(other, files.jsonl([first, first]))["added"] == 1
    twice = [{**first, "annotator": "cy"}, {**first, "annotator": "cy", "note": "x", "key": None}]
    with pytest.raises(GymError, match="The file has another label"):
        files.take(other, files.jsonl(twice))


def test_labels_of_another_codebook_are_taken_on_request_and_marked(
    project: AnnotationProject, other: AnnotationProject
) -> None:
    content = {**project.codebook.content, "unit": "As it was before."}
    rows = files.rows(files.archive(project))
    manifest = json.loads(files.member(files.archive(project), "manifest.json"))
    old = checks._hash_of(content)
    manifest["codebooks"] = {old: content}
    for row in rows:
        row["codebook"] = old
    rows[1]["values"]["type"] = "musing"
    data = files.jsonl(rows)
    manifest["files"] = {"x": {"sha256": hashlib.sha256(data).hexdigest(), "labels": 4, "bytes": 1}}
    with pytest.raises(GymError, match="send the manifest too"):
        files.take(other, data, takes_other_codebooks=True)
    sent = json.dumps(manifest).encode()
    result = files.take(other, data, manifest=sent, takes_other_codebooks=True)
    assert (result["added"], result["left_out"]) == (3, 1)
    assert "Labels left out: 1." in result["problem"]
    assert set(Label.objects.filter(unit__project=other).values_list("codebook_id", flat=True)) == {old}
    assert CodebookVersion.objects.get(pk=old).content == content
    assert read_labelled_units(other) == []


def test_damage_is_refused(project: AnnotationProject, other: AnnotationProject) -> None:
    data = files.archive(project)
    manifest = files.member(data, "manifest.json")
    labels = files.member(data, "blind.jsonl")
    for sent, name, description, sentence in (
        (labels[:-2], "blind.jsonl", manifest, "changed or damaged"),
        (labels, "blind.jsonl", b"{}", "not the manifest"),
        (labels, "blind.jsonl", labels, "not the manifest"),
        (data[:300], "labels.zip", None, "damaged or cut off"),
        (b"", "labels.jsonl", None, "has no labels"),
        (b"\xff\xfe", "labels.jsonl", None, "Line 1"),
        (b"a,b\n", "labels.csv", None, "The column “a”"),
        (b"step\n1\n", "labels.csv", None, "does not name the column “episode”"),
        (b'episode,step\n1,"', "labels.csv", None, "not CSV"),
        (b"episode,step\n1\n", "labels.csv", None, "1 cells for 2 columns"),
        (b"\xff,", "labels.csv", None, "not CSV"),
        (b"epi\0sode,step\n1,1\n", "labels.csv", None, "Line 1: .* NUL"),
        (b"episode,step,links\n1,1,pl\0an=3\n", "labels.csv", None, "Line 2: .* NUL"),
        (labels, "blind.jsonl", manifest.replace(b'"full"', b'"\\u0000"'), "NUL"),
        (labels, "labels.parquet", None, "not a file of labels"),
    ):
        with pytest.raises(GymError, match=sentence):
            files.take(other, sent, name=name, manifest=description)
    bundle = io.BytesIO()
    with zipfile.ZipFile(bundle, "w") as file:
        file.writestr("notes.txt", "x")
    with pytest.raises(GymError, match="has no labels"):
        files.take(other, bundle.getvalue(), name="labels.zip")


def test_the_work_of_a_job_reads_the_stored_file(
    project: AnnotationProject, other: AnnotationProject, owner: User, as_role: Any
) -> None:
    stored = blob_store(files.archive(project), storage=PRIVATE)
    parameters = {"name": "labels.zip", "sha256": stored.sha256}
    job = job_request(other, "import", parameters, user_id=owner.pk)
    with as_role("gym_worker"):
        LABEL_WORK.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem, job.result["added"]) == ("done", "", 4)
    bad = blob_store(files.jsonl([{"episode": 1, "step": 1}]), storage=PRIVATE)
    job = job_request(other, "import", {"name": "a.jsonl", "sha256": bad.sha256}, user_id=None)
    LABEL_WORK.run(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.result["lines"][0].startswith("Line 1: ")


def test_the_command_imports_and_says_what_is_wrong(
    project: AnnotationProject, other: AnnotationProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labels.zip"
    file.write_bytes(files.archive(project))
    call_command("import_labels", str(other.pk), str(file), "--annotator", "cy")
    assert "4 of 4 labels added." in capsys.readouterr().out
    assert other.annotators.filter(name="cy").exists()
    lines = tmp_path / "labels.jsonl"
    lines.write_bytes(files.jsonl([{"episode": 1, "step": 1}] * 2))
    for number, name, sentence in (
        (other.pk, lines, "Line 2: "),
        (0, lines, "There is no annotation project 0."),
        (other.pk, tmp_path / "gone.csv", "No such file"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("import_labels", str(number), str(name))


def test_the_number_of_a_step_comes_back_from_a_table() -> None:
    user = scene.labeller("cy")
    first, second = (
        scene.project(user, of=scene.attempts(1, steps=3), kind="trajectory", name=name) for name in "ab"
    )
    slot = services.slot_next(scene.annotator(first, user).pk)
    scene.label(slot, values={"success": "failed", "loops": "none", "first_wrong_step": 2})
    data = files.archive(first)
    table = files.member(data, "blind.csv")
    assert files.take(first, table, name="blind.csv")["added"] == 0
    with pytest.raises(GymError, match="has no unit for episode"):
        files.take(second, table, name="blind.csv")
    rows = files.rows(data)
    rows[0]["values"]["first_wrong_step"] = 4
    with pytest.raises(GymError, match="there is no step 4"):
        files.take(first, files.jsonl(rows))


def test_what_was_settled_is_one_row_of_versions_whoever_settled(
    project: AnnotationProject, other: AnnotationProject
) -> None:
    first = files.rows(files.archive(project))[0]
    settled = {**first, "layer": "adjudicated", "key": None, "reason": "slip", "annotator": "cy"}
    again = {**settled, "annotator": "dee"}
    assert files.take(other, files.jsonl([settled, again]))["added"] == 1
    differing = {**again, "note": "Read again."}
    for rows in ([differing], [settled, differing]):
        with pytest.raises(GymError, match=r"another adjudicated label .* give the label the next version"):
            files.take(other, files.jsonl(rows))
    assert files.take(other, files.jsonl([{**differing, "version": 2}]))["added"] == 1


def test_a_unit_that_is_settled_during_an_import_keeps_its_versions(
    project: AnnotationProject, other: AnnotationProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = files.rows(files.archive(project))[0]
    data = files.jsonl([{**first, "layer": "adjudicated", "key": None, "reason": "slip"}])
    store = imports._store

    def settle_and_store(placements: list[checks.Placement], **options: Any) -> int:
        Label.objects.create(
            unit_id=placements[0].unit, annotator=other.annotators.get(), layer="adjudicated", version=1,
            state="done", values=COMPLETE, codebook_id=other.codebook_id, key=uuid.uuid4(),
        )  # fmt: skip
        return store(placements, **options)

    monkeypatch.setattr(imports, "_store", settle_and_store)
    with pytest.raises(GymError, match="was adjudicated during the import"):
        files.take(other, data)
    assert Label.objects.filter(layer="adjudicated").count() == 1


def test_an_import_that_takes_several_workers_counts_all_that_was_added(
    project: AnnotationProject, other: AnnotationProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = blob_store(files.archive(project), storage=PRIVATE)
    parameters = {"name": "labels.zip", "sha256": stored.sha256}
    job = job_request(other, "import", parameters, user_id=None)
    monkeypatch.setattr(checks, "AT_ONCE", 1)
    monkeypatch.setattr(due_work, "PAUSE_S", -1.0)

    done = []
    for _ in range(4):
        LABEL_WORK.run(job.pk)
        job.refresh_from_db()
        done.append(job.done)

    assert done == [1, 2, 3, 4]
    assert (job.state, job.result["labels"], job.result["added"]) == ("done", 4, 4)


def test_a_row_has_lines_within_quotes_and_an_end() -> None:
    fields: dict[str, Any] = {}
    row = 'episode,step,note,annotator\n1,1,"two\nlines",ana\n\n2,1,"' + "x\n" * 40_000 + '",ana\n'
    read = list(csv_lines(io.BytesIO(row.encode()), fields))
    assert [number for number, _ in read] == [3, 40_005]
    assert read[0][1].note == "two\nlines"
    assert "length" in read[1][1]
    many = "episode,step\n" + "1,1\n" * 300_000
    assert sum(1 for _ in csv_lines(io.BytesIO(many.encode()), fields)) == 300_000
    with pytest.raises(GymError, match="line 2 is longer than 1,048,576 characters"):
        list(csv_lines(io.BytesIO(b"episode,step\n" + b"1," * 700_000), fields))


def test_a_skipped_unit_has_no_answers(db: None) -> None:
    user = scene.labeller("ana")
    project = scene.project(user, of=scene.episodes(1, steps=1))
    unit = project.units.get()
    row = {"episode": unit.episode_id, "step": unit.step, "annotator": "bo", "state": "skipped"}
    with pytest.raises(GymError, match="skipped but has answers"):
        files.take(project, files.jsonl([{**row, "values": {"type": "reasoning"}}]))
    assert files.take(project, files.jsonl([row]))["added"] == 1
