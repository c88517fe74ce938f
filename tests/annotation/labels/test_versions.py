"""Everything that reads labels means the same by the newest one, whatever times imported labels bring."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation import api
from trajectories.annotation.adjudication.history import read_history
from trajectories.annotation.adjudication.selectors import find_settlement, list_columns
from trajectories.annotation.agreement.selectors import read_labelled_units
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.labels.services import find_newest_label
from trajectories.annotation.machines.selectors import MachinesPage
from trajectories.annotation.pairs.selectors import list_winners, read_labelled_pairs
from trajectories.annotation.queues import golds
from trajectories.annotation.queues.selectors import find_label
from trajectories.annotation.rates.selectors import read_rate_units
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label
from trajectories.record.api.auth import Principal

pytestmark = pytest.mark.django_db
NARRATION = {**COMPLETE, "type": "narration"}
# By their times the newest label would be the first of these.
TIMES = {version: datetime(2026, 1, 10 - version, tzinfo=UTC) for version in (1, 2)}
EVERYTHING = Principal(key_id=1, name="reader", scopes=frozenset({"read"}), splits=frozenset())


@pytest.fixture
def people() -> list[User]:
    return [scene.labeller(name) for name in ("ana", "ben", "cy")]


@pytest.fixture
def project(people: list[User]) -> AnnotationProject:
    return scene.project(*people, of=scene.episodes(1, steps=1))


def unit_of(project: AnnotationProject) -> AnnotationUnit:
    return project.units.select_related("project__codebook").get()


def say(project: AnnotationProject, user: User, values: dict[str, Any], **fields: Any) -> Label:
    version = fields.setdefault("version", 1)
    return Label.objects.create(
        unit=project.units.get(), annotator=scene.annotator(project, user), codebook=project.codebook,
        values=values, created_at=TIMES[version], key=uuid.uuid4(), **{"state": "done", **fields},
    )  # fmt: skip


def rate(project: AnnotationProject) -> float | None:
    (unit,) = read_rate_units(project, codebook=build_codebook(), choice=[("type", "reasoning")])
    return unit.people


def api_values(project: AnnotationProject) -> dict[str, Any]:
    (unit,) = api.list_episode_labels(project.units.get().episode_id, principal=EVERYTHING)
    return dict(unit["consensus"]["values"])


def test_of_a_person_the_highest_version_counts(project: AnnotationProject, people: list[User]) -> None:
    say(project, people[0], COMPLETE)
    newest = say(project, people[0], NARRATION, version=2)
    unit, annotator = unit_of(project), scene.annotator(project, people[0])

    assert find_newest_label(unit=unit, annotator=annotator) == newest
    assert find_label(annotator, project.slots.filter(unit=unit)[0].public_id) == newest
    assert [column.label for column in list_columns(unit)] == [newest]
    assert [one.answers for one in read_labelled_units(project)] == [{annotator.pk: NARRATION}]
    assert rate(project) == 0.0
    assert [one["id"] for one in api.list_labels(principal=EVERYTHING, after=0, limit=9)] == [newest.pk]
    golds.gold_from_label(unit, annotator=annotator, why="So.")
    assert unit.gold["values"] == NARRATION


def test_of_what_was_settled_the_highest_version_counts_whoever_settled(
    project: AnnotationProject, people: list[User]
) -> None:
    say(project, people[0], COMPLETE)
    say(project, people[1], COMPLETE, layer="adjudicated")
    say(project, people[2], COMPLETE, layer="adjudicated", version=2)
    newest = say(project, people[1], NARRATION, layer="adjudicated", version=2)
    unit = unit_of(project)

    assert find_settlement(unit) == newest
    assert rate(project) == 0.0
    assert api_values(project) == NARRATION
    golds.gold_from_label(unit, annotator=None, why="So.")
    assert unit.gold["values"] == NARRATION


def test_of_a_pair_the_highest_version_counts(people: list[User]) -> None:
    project = scene.project(*people, of=scene.attempts(2), kind="trajectory_pair")
    say(project, people[0], {"better": "first", "why": []})
    say(project, people[0], {"better": "tie", "why": []}, version=2)
    ((choice,),) = [list(one.choices.values()) for one in read_labelled_pairs(project)]
    assert choice.answer == "tie"
    say(project, people[1], {"better": "second", "why": []}, layer="adjudicated", version=2)
    say(project, people[2], {"better": "first", "why": []}, layer="adjudicated")
    assert [one.answer for one in list_winners(project)] == ["second"]


def test_a_settled_answer_that_was_taken_back_does_not_count(
    project: AnnotationProject, people: list[User]
) -> None:
    say(project, people[0], COMPLETE)
    say(project, people[1], NARRATION, layer="adjudicated")
    say(project, people[2], {}, layer="adjudicated", version=2, state="skipped")
    assert rate(project) == 1.0
    assert api_values(project) == COMPLETE


def test_the_history_compares_each_version_with_the_one_before_it(
    project: AnnotationProject, people: list[User]
) -> None:
    say(project, people[0], COMPLETE)
    say(project, people[0], NARRATION, version=2)
    later, earlier = read_history(unit_of(project))
    assert (later.label.version, later.is_first) == (2, False)
    assert [change.after for change in later.changes] == ["Procedural narration"]
    assert (earlier.label.version, earlier.is_first) == (1, True)


def test_units_of_annotators_are_counted_by_their_newest_label(
    project: AnnotationProject, people: list[User]
) -> None:
    say(project, people[0], COMPLETE)
    say(project, people[0], {}, version=2, state="skipped")
    say(project, people[1], {}, state="skipped", is_repeat=True)
    counts = {
        Annotator.objects.get(pk=one.pk).name: (one.labelled, one.unusable)
        for one in MachinesPage(project=project).annotators
    }
    assert counts == {"ana": (0, 1)}
