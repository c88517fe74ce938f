"""From labels to the table of agreement."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.agreement.selectors import filter_units_between, read_labelled_units
from trajectories.annotation.agreement.table import ALL_SAME, FEW, NO_PAIRS, agreement, figures
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, Label

NARRATION = {**COMPLETE, "type": "narration", "behaviours": []}


@pytest.fixture
def people(db: None) -> list[User]:
    return [scene.labeller("one"), scene.labeller("two")]


def labelled(people: list[User], given: list[tuple[dict[str, object], ...]]) -> AnnotationProject:
    """A project of which each person gave these answers, unit by unit."""
    project = scene.project(*people, of=scene.episodes(2, steps=len(given) // 2))
    for place, user in enumerate(people):
        annotator = scene.annotator(project, user)
        for answers in given:
            scene.label(services.slot_next(annotator.pk), values=answers[place])
    return project


def test_a_project_without_pairs_says_so(people: list[User]) -> None:
    project = scene.project(*people)
    assert {one.whole.reason for one in agreement(read_labelled_units(project), build_codebook())} == {
        NO_PAIRS
    }
    scene.label(services.slot_next(scene.annotator(project, people[0]).pk))
    kind, *_ = agreement(read_labelled_units(project), build_codebook())
    assert (kind.whole.reason, kind.whole.alpha) == (NO_PAIRS, None)


def test_agreement_by_field_and_answer(people: list[User]) -> None:
    pairs = [(COMPLETE, COMPLETE)] * 22 + [(NARRATION, NARRATION)] * 6 + [(COMPLETE, NARRATION)] * 4
    fields = {
        one.field.id: one for one in agreement(read_labelled_units(labelled(people, pairs)), build_codebook())
    }
    kind = fields["type"]
    assert kind.whole.raw.value == pytest.approx(28 / 32)
    assert 0 < kind.whole.alpha.value < 1
    rows = {row.title: row for row in kind.answers}
    assert (rows["Reasoning"].positives, rows["Reasoning"].positive.value) == (26, pytest.approx(44 / 48))
    assert rows["Reasoning"].prevalence.value == pytest.approx(48 / 64)
    assert (rows["Procedural narration"].positives, rows["Procedural narration"].reason) == (10, FEW)
    matrix = {one.id: {cell.other.id: cell.count for cell in cells} for one, cells in kind.matrix}
    assert (matrix["reasoning"]["reasoning"], matrix["reasoning"]["narration"]) == (22, 4)
    assert matrix["narration"]["reasoning"] == 4
    target = fields["target"].whole
    assert (target.raw.value, target.alpha.value, target.reason) == (1.0, None, ALL_SAME)
    assert fields["behaviours"].whole.alpha.value == pytest.approx(kind.whole.alpha.value)
    assert fields["behaviours"].matrix == []


def test_corrections_count_and_skips_and_repeats_do_not(people: list[User]) -> None:
    project = scene.project(*people, of=scene.episodes(1, steps=2), repeat_share=1.0)
    first, second = (scene.annotator(project, user) for user in people)
    slot = services.slot_next(first.pk)
    scene.label(slot, values=NARRATION)
    scene.label(slot, version=1)
    for _ in range(3):
        scene.label(services.slot_next(first.pk))
    scene.label(services.slot_next(second.pk), state=Label.State.SKIPPED)
    units = read_labelled_units(project)
    assert [list(unit.answers) for unit in units] == [[first.pk], [first.pk]]
    assert units[0].answers[first.pk]["type"] == "reasoning"


def test_a_cell_of_the_matrix_leads_to_its_units(people: list[User]) -> None:
    units = read_labelled_units(labelled(people, [(COMPLETE, NARRATION), (COMPLETE, COMPLETE)]))
    apart = filter_units_between(units, field="type", one="narration", other="reasoning")
    same = filter_units_between(units, field="type", one="reasoning", other="reasoning")
    assert (apart, same) == ([units[0]], [units[1]])


def test_steps_agree_exactly_or_nearly(people: list[User]) -> None:
    given = [(3, 3), (3, 4), (2, 5), ("none", 2), ("none", "none")]
    project = scene.project(*people, of=scene.attempts(len(given), steps=5), kind="trajectory")
    for place, user in enumerate(people):
        annotator = scene.annotator(project, user)
        for answers in given:
            values = {"success": "failed", "loops": "none", "first_wrong_step": answers[place]}
            scene.label(services.slot_next(annotator.pk), values=values)
    units = read_labelled_units(project)
    field = {one.field.id: one for one in agreement(units, build_codebook("trajectory"))}["first_wrong_step"]
    assert (field.nearness.pairs, field.nearness.same, field.nearness.near) == (3, 1, 2)
    assert field.whole.raw.value == pytest.approx(2 / 5)
    matrix = {one.id: {cell.other.id: cell.count for cell in cells} for one, cells in field.matrix}
    assert (matrix["step"]["step"], matrix["none"]["step"], matrix["none"]["none"]) == (3, 1, 1)
    between = filter_units_between(units, field="first_wrong_step", one="step", other="none", number="step")
    assert between == [units[3]]


def test_figures_are_computed_once_for_the_labels_that_there_are(
    people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = labelled(people, [(COMPLETE, NARRATION), (COMPLETE, COMPLETE)])
    before = figures(project, view="full")
    assert (before.units, before.trajectories) == (2, len({unit.episode_id for unit in project.units.all()}))
    assert figures(project, view="full") is before
    label = Label.objects.filter(annotator__project=project).latest("pk")
    label.pk, label.version, label.state, label.key = None, 2, "skipped", uuid.uuid4()
    label.save(force_insert=True)
    after = figures(project, view="full")
    assert after is not before
    assert after.fields[0].whole.units == before.fields[0].whole.units - 1
    project.units.update(gold={"values": {}})
    assert figures(project, view="full").units == 0
