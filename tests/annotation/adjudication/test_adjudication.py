"""What counts as a disagreement, how disputed it is, and what settling it writes."""

from __future__ import annotations

import uuid
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection

from core.errors import GymError
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.adjudication import selectors
from trajectories.annotation.adjudication.history import read_history
from trajectories.annotation.adjudication.selectors import find_settlement, list_disagreements
from trajectories.annotation.adjudication.services import Reason, Settlement, unit_settle
from trajectories.annotation.agreement.coefficients import masi_distance
from trajectories.annotation.labels.services import LabelConflict
from trajectories.annotation.queues.services import label_save
from trajectories.annotation.queues.tickets import Ticket
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, CodebookNote, Label

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> AnnotationProject:
    people = [scene.labeller(name) for name in ("one", "two", "three")]
    return scene.project(*people, of=scene.episodes(1, steps=4))


def units(project: AnnotationProject) -> list[AnnotationUnit]:
    rows = AnnotationUnit.objects.filter(project=project).select_related("project__codebook")
    return list(rows.order_by("position"))


def say(unit: AnnotationUnit, name: str, **fields: Any) -> Label:
    """A label as it is stored, with some answers changed."""
    annotator = Annotator.objects.get(project=unit.project, name=name)
    columns = {key: fields.pop(key) for key in set(fields) & {f.name for f in Label._meta.get_fields()}}
    row = {
        "unit": unit, "annotator": annotator, "codebook_id": unit.project.codebook_id, "version": 1,
        "state": Label.State.DONE, "values": {**COMPLETE, **fields}, "key": uuid.uuid4(),
    }  # fmt: skip
    return Label.objects.create(**{**row, **columns})


def disputed(project: AnnotationProject) -> list[tuple[int, list[str]]]:
    return [(row.position, row.fields) for row in list_disagreements(project)]


def settlement(**fields: Any) -> Settlement:
    note = {key: fields.pop(key) for key in ("codebook_note", "field") if key in fields}
    reason = fields.pop("reason", Reason.SLIP)
    return Settlement(saving=scene.saving(**fields), reason=reason, **note)


def test_units_are_in_the_order_of_their_dispute(project: AnnotationProject) -> None:
    agreed, little, much, alone = units(project)
    for name in ("one", "two", "three"):
        say(agreed, name)
    say(little, "one")
    say(little, "two", target="both")
    say(much, "one")
    say(much, "two", target="both", type="narration")
    say(alone, "three", type="narration")
    assert disputed(project) == [(much.position, ["target", "type"]), (little.position, ["target"])]
    assert [row.dispute for row in list_disagreements(project)] == [
        pytest.approx(2 / 4),
        pytest.approx(1 / 4),
    ]
    say(little, "three")
    assert list_disagreements(project)[1].dispute == pytest.approx((2 / 3) / 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["plan"], []),
        (["plan"], ["verify"]),
        (["plan"], ["plan", "verify"]),
        (["plan", "verify"], ["verify", "revise"]),
        (["plan", "verify", "revise"], ["verify"]),
    ],
)
def test_sets_are_compared_by_masi(project: AnnotationProject, one: list[str], other: list[str]) -> None:
    unit = units(project)[0]
    say(unit, "one", behaviours=one)
    say(unit, "two", behaviours=other)
    (row,) = list_disagreements(project)
    assert row.dispute == pytest.approx(masi_distance(frozenset(one), frozenset(other)) / 4)


def test_the_order_within_a_set_is_no_disagreement(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one", behaviours=["plan", "verify"])
    say(unit, "two", behaviours=["verify", "plan"])
    assert disputed(project) == []


def test_fields_that_only_one_answered_are_not_compared(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one")
    say(unit, "two", values={"type": "empty"})
    (row,) = list_disagreements(project)
    assert (row.dispute, row.fields) == (1, ["type"])


def test_only_newest_blind_labels_of_people_who_saw_the_same_count(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one")
    other = {"type": "narration"}
    say(unit, "two", **other)
    say(unit, "two", version=2)
    say(unit, "three", view="thought", **other)
    say(unit, "one", is_repeat=True, **other)
    say(unit, "two", layer="adjudicated", **other)
    Annotator.objects.create(project=project, kind="rules", name="ribbon")
    say(unit, "ribbon", **other)
    assert disputed(project) == []
    say(unit, "one", version=2, **other)
    assert disputed(project) == [(unit.position, ["type"])]
    assert [column.label.values["type"] for column in selectors.list_columns(unit)].count("narration") == 2
    say(unit, "one", version=3, state="skipped", values={})
    assert disputed(project) == []
    say(unit, "one", version=4, **other)
    AnnotationUnit.objects.filter(pk=unit.pk).update(gold={"type": "reasoning"})
    assert disputed(project) == []


def test_columns_are_in_an_order_of_each_unit_that_stays(project: AnnotationProject) -> None:
    orders = set()
    for unit in units(project):
        for name in ("one", "two", "three"):
            say(unit, name)
        columns = selectors.list_columns(unit)
        assert [column.letter for column in columns] == ["A", "B", "C"]
        names = [Annotator.objects.get(pk=column.label.annotator_id).name for column in columns]
        assert names == [column.label.annotator.name for column in selectors.list_columns(unit)]
        orders.add(tuple(names))
    assert len(orders) > 1


def test_the_form_begins_with_what_nobody_disputes(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one", links={"plan": 2})
    say(unit, "two", target="both", links={"plan": 2})
    agreed = selectors.merge_agreed_answers(selectors.list_columns(unit), differing=["target"])
    assert agreed.values == {name: value for name, value in COMPLETE.items() if name != "target"}
    assert agreed.links == {"plan": 2}


def test_settling_adds_a_layer_and_changes_no_blind_label(project: AnnotationProject) -> None:
    unit = units(project)[0]
    blind = [say(unit, "one"), say(unit, "two", target="both")]
    judge = Annotator.objects.get(project=project, name="three")
    label = unit_settle(
        settlement(codebook_note=" Say what both is. ", field="target"), unit=unit, annotator=judge
    )
    assert (label.layer, label.version, label.reason) == ("adjudicated", 1, "slip")
    assert list(Label.objects.filter(layer="blind").order_by("pk")) == blind
    (row,) = list_disagreements(project)
    assert (row.is_settled, row.reason) == (True, "slip")
    note = CodebookNote.objects.get()
    assert (note.text, note.field, note.unit, note.author) == (
        "Say what both is.",
        "target",
        unit,
        judge.user,
    )


def test_settling_twice_with_one_key_writes_once(project: AnnotationProject) -> None:
    unit = units(project)[0]
    judge = Annotator.objects.get(project=project, name="three")
    say(unit, "one")
    say(unit, "two", target="both")
    made = settlement(codebook_note="once")
    first = unit_settle(made, unit=unit, annotator=judge)
    assert unit_settle(made, unit=unit, annotator=judge) == first
    assert CodebookNote.objects.count() == 1


def test_versions_are_those_of_the_unit_whoever_settles(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one")
    say(unit, "two", target="both")
    one, other = (Annotator.objects.get(project=project, name=name) for name in ("two", "three"))
    unit_settle(settlement(), unit=unit, annotator=one)
    with pytest.raises(LabelConflict) as conflict:
        unit_settle(settlement(values={**COMPLETE, "target": "both"}), unit=unit, annotator=other)
    assert conflict.value.current.annotator == one
    changed = settlement(values={**COMPLETE, "target": "both"}, version=1)
    assert unit_settle(changed, unit=unit, annotator=other).version == 2
    newest = find_settlement(unit)
    assert newest is not None
    assert newest.annotator == other
    last = read_history(unit)[-1]
    assert [(change.name, change.before, change.after) for change in last.changes] == [
        ("Target", "The problem", "Both")
    ]


def test_the_history_has_the_answers_in_the_order_of_the_codebook() -> None:
    project = scene.project(scene.labeller("one"), of=scene.attempts(2), kind="trajectory_pair")
    unit = project.units.get()
    say(unit, "one", values={"better": "first", "why": ["acts"]})
    (only,) = read_history(unit)
    assert [change.name for change in only.changes] == ["Better", "Why"]


def test_a_reason_is_needed_where_people_differ(project: AnnotationProject) -> None:
    unit = units(project)[0]
    judge = Annotator.objects.get(project=project, name="three")
    say(unit, "one")
    say(unit, "two", target="both")
    for reason in ("", "because"):
        with pytest.raises(GymError, match="Why the answers differed: no answer yet"):
            unit_settle(settlement(reason=reason), unit=unit, annotator=judge)
    assert not Label.objects.filter(layer="adjudicated").exists()


def test_the_next_unit_is_the_next_in_the_order_of_dispute(project: AnnotationProject) -> None:
    first, second, third, _ = units(project)
    for unit in (first, second, third):
        say(unit, "one")
        say(unit, "two", target="both")
    rows = list_disagreements(project)
    order = [row.unit for row in rows]
    assert selectors.find_next_unit(rows, after=None) == order[0]
    assert selectors.find_next_unit(rows, after=rows[0]) == order[1]
    assert selectors.find_next_unit(rows, after=rows[2]) == order[0]
    assert selectors.find_next_unit(rows[1:], after=rows[0]) == order[1]
    assert selectors.find_next_unit(rows[:1], after=rows[0]) is None


@pytest.mark.parametrize("deed", ["UPDATE {} SET id = id", "DELETE FROM {}"])
@pytest.mark.parametrize("table", ["trajectories_label", "trajectories_codebooknote"])
def test_the_lab_can_change_neither_labels_nor_notes(owner: User, deed: str, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE gym_lab")
        cursor.execute(f"SELECT count(*) FROM {table}")
        with pytest.raises(Exception, match="permission denied"):
            cursor.execute(deed.format(table))


def test_who_has_settled_a_unit_no_longer_labels_it_blind(project: AnnotationProject) -> None:
    unit = units(project)[0]
    say(unit, "one")
    say(unit, "two", target="both")
    judge = Annotator.objects.get(project=project, name="three")
    unit_settle(settlement(), unit=unit, annotator=judge)
    ticket = Ticket(annotator=judge.pk, unit=unit.pk, is_repeat=False, slot=uuid4())
    with pytest.raises(GymError, match="would not be blind"):
        label_save(scene.saving(), ticket=ticket, unit=unit, annotator=judge)
