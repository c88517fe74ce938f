from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User

from core.errors import GymError
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.agreement.selectors import read_labelled_units
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.queues import golds, services
from trajectories.annotation.queues.golds import Score
from trajectories.annotation.queues.selectors import read_progress
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Label


@pytest.fixture
def two(db: None) -> tuple[User, User]:
    return scene.labeller("one"), scene.labeller("two")


@pytest.fixture
def project(two: tuple[User, User]) -> AnnotationProject:
    return scene.project(*two, overlap_share=0.0, repeat_share=1.0)


def mark(project: AnnotationProject, *places: int) -> list[AnnotationUnit]:
    units = list(project.units.order_by("position"))
    chosen = [units[place] for place in places]
    for unit in chosen:
        golds.gold_set(unit, values=COMPLETE, why="It infers.")
    return chosen


def unit_of(slot: int) -> AnnotationUnit:
    return AnnotationSlot.objects.select_related("unit").get(pk=slot).unit


def test_gold_units_come_first_for_everyone_and_once(
    project: AnnotationProject, two: tuple[User, User]
) -> None:
    first, second = (scene.annotator(project, user) for user in two)
    begun = services.slot_next(first.pk)
    chosen = mark(project, 3, 7)
    # What is in front of someone stays there.
    assert services.slot_next(first.pk) == begun
    scene.label(begun)
    for annotator in (first, second):
        for unit in chosen:
            slot = services.slot_next(annotator.pk)
            assert unit_of(slot) == unit
            scene.label(slot)
    rest = []
    while (slot := services.slot_next(second.pk)) is not None:
        rest.append(unit_of(slot))
        scene.label(slot)
    # The others once, and once more as repeats; no gold unit comes back.
    assert len(rest) == 2 * (10 - 1 - 2)
    assert not set(rest) & set(chosen)


def test_a_skipped_gold_unit_goes_to_nobody_else(project: AnnotationProject, two: tuple[User, User]) -> None:
    mark(project, 0)
    before = AnnotationSlot.objects.count()
    slot = services.slot_next(scene.annotator(project, two[0]).pk)
    scene.label(slot, state=Label.State.SKIPPED)
    assert AnnotationSlot.objects.count() == before + 1
    assert golds.score_annotators(project, build_codebook()) == {}


def test_golds_count_for_scores_and_not_for_agreement(
    project: AnnotationProject, two: tuple[User, User]
) -> None:
    annotator = scene.annotator(project, two[0])
    (unit,) = mark(project, 5)
    slot = services.slot_next(annotator.pk)
    scene.label(slot, values={**COMPLETE, "target": "both", "behaviours": ["plan", "verify"]})
    # What is said after the feedback is not blind.
    for change in ({}, {"state": Label.State.SKIPPED}):
        with pytest.raises(GymError, match="stays as you first saved it"):
            scene.label(slot, version=1, **change)
    scene.label(services.slot_next(annotator.pk))
    assert [one.unit for one in read_labelled_units(project)] != [unit.pk]
    assert len(read_labelled_units(project)) == 1
    right, wrong = Score(right=1, total=1), Score(right=0, total=1)
    assert golds.score_annotators(project, build_codebook()) == {annotator.pk: [right, wrong, wrong, right]}
    golds.gold_clear(unit)
    assert len(read_labelled_units(project)) == 2


def test_the_adjudicated_label_can_be_the_gold(project: AnnotationProject, two: tuple[User, User]) -> None:
    annotator = scene.annotator(project, two[0])
    label = scene.label(services.slot_next(annotator.pk))
    unit = label.unit
    with pytest.raises(GymError, match="no adjudicated label"):
        golds.gold_from_label(unit, annotator=None, why="So it is.")
    with pytest.raises(GymError, match="not labelled"):
        golds.gold_from_label(unit, annotator=scene.annotator(project, two[1]), why="So it is.")
    settled = {**COMPLETE, "behaviours": []}
    Label.objects.filter(pk=label.pk).update(layer=Label.Layer.ADJUDICATED, values=settled)
    golds.gold_from_label(unit, annotator=None, why="So it is.")
    assert unit.gold == {"values": settled, "why": "So it is."}


def test_answers_of_gold_units_are_those_of_the_codebook(project: AnnotationProject) -> None:
    unit = project.units.all()[0]
    golds.gold_set(unit, values={**COMPLETE, "type": "mixed"}, why="Half of it.")
    golds.gold_set(unit, values={"type": "cannot_judge", "target": "both"}, why="It is Klingon.")
    assert unit.gold["values"] == {"type": "cannot_judge"}
    for values in ({"type": "wishful"}, {"type": "reasoning"}, {**COMPLETE, "mood": "good"}):
        with pytest.raises(GymError):
            golds.gold_set(unit, values=values, why="It infers.")


def test_a_gold_unit_is_not_handed_out_to_who_has_seen_its_step_in_another_view(
    two: tuple[User, User],
) -> None:
    thought = "\n\n".join("It counts the rooms. " * 20 for _ in range(2))
    project = scene.project(*two, of=scene.episodes(1, steps=1, thought=thought), views=["full", "page"])
    first, second = project.units.order_by("paragraph")
    annotator = scene.annotator(project, two[0])
    slot = project.slots.get(unit=first, view="page")
    AnnotationSlot.objects.filter(pk=slot.pk).update(annotator=annotator)
    scene.label(slot.pk)
    golds.gold_set(second, values=COMPLETE, why="It infers.")

    assert services.slot_next(annotator.pk) is None
    assert read_progress([annotator])[0].left == 0


def test_a_pair_can_be_a_gold_unit(two: tuple[User, User]) -> None:
    project = scene.project(two[0], of=scene.attempts(2), kind="trajectory_pair", overlap_people=1)
    unit = project.units.get()
    line = {
        "episode": unit.episode_id, "step": 0, "other_episode": unit.other_episode_id, "other_step": 0,
        "values": {"better": "first", "why": []}, "why": "It gets there.",
    }  # fmt: skip
    other_way_round = {**line, "episode": line["other_episode"], "other_episode": line["episode"]}
    with pytest.raises(GymError, match=f"no unit for episode {unit.other_episode_id}, step 0, and episode"):
        golds.golds_read(project, json.dumps(other_way_round))
    assert golds.golds_read(project, json.dumps(line)) == 1
    assert golds.list_golds(project).get().gold["values"] == {"better": "first", "why": []}
