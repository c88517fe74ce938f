"""From choices between two to their order bias and to preferences for training."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User

from core.statistics import wilson
from tests import factories
from tests.annotation import files, scene
from trajectories.annotation.export_kinds.winners import read_winners
from trajectories.annotation.pairs.bias import measure_order_bias
from trajectories.annotation.pairs.selectors import Choice, PairChoices, list_winners, read_labelled_pairs
from trajectories.annotation.queues import golds, services, tickets
from trajectories.models import AnnotationProject, AnnotationSlot, Episode, Label, Step


def pair(task: str, *choices: tuple[str, bool]) -> PairChoices:
    made = {
        place: Choice(answer=answer, is_swapped=is_swapped, reasons=[])
        for place, (answer, is_swapped) in enumerate(choices)
    }
    return PairChoices(unit=1, places=((1, 0), (2, 0)), stratum=task, weight=1.0, choices=made)


def test_whoever_always_takes_the_first_is_biased_and_disagrees_across_orders() -> None:
    pairs = [pair(f"task {n}", ("first", False), ("second", True), ("first", False)) for n in range(10)]
    bias = measure_order_bias(pairs)
    assert (bias.first.count, bias.first.total, bias.first.is_even) == (30, 30, False)
    assert (bias.same.count, bias.same.total) == (10, 10)
    assert (bias.crossed.count, bias.crossed.total) == (0, 20)


def test_whoever_looks_at_the_two_is_not_biased() -> None:
    pairs = [pair(f"task {n}", ("first", n % 2 == 0), ("tie", True)) for n in range(20)]
    bias = measure_order_bias(pairs)
    assert (bias.first.count, bias.first.total, bias.first.is_even) == (10, 20, True)
    assert bias.first.independent == wilson(share=0.5, n=20)
    assert bias.first.estimate.low < 0.5 < bias.first.estimate.high


def test_choices_of_one_task_are_no_independent_ones() -> None:
    spread = measure_order_bias([pair(f"task {n}", ("first", n < 14)) for n in range(40)]).first
    lumped = measure_order_bias([pair(f"task {n // 20}", ("first", n < 14)) for n in range(40)]).first
    assert lumped.estimate.high - lumped.estimate.low > spread.estimate.high - spread.estimate.low
    assert measure_order_bias([]).first.is_even


@pytest.fixture
def people(db: None) -> list[User]:
    return [scene.labeller(name) for name in ("one", "two", "three")]


def choose(project: AnnotationProject, user: User, **answers: str) -> None:
    """Choose by the episode that is better: of each pair that has it, it wins; else they tie."""
    annotator = scene.annotator(project, user)
    while (number := services.slot_next(annotator.pk)) is not None:
        unit = AnnotationSlot.objects.select_related("unit").get(pk=number).unit
        places = {str(unit.episode_id): "first", str(unit.other_episode_id): "second"}
        better = places.get(answers["better"], answers["better"])
        swapped = tickets.is_swapped(unit, annotator=annotator, is_repeat=False)
        scene.label(number, values={"better": better, "why": ["goal"]}, is_swapped=swapped)


def rows(project: AnnotationProject) -> list[dict[str, Any]]:
    return [json.loads(msgspec.json.encode(row)) for row in read_winners(project, {}, Counter())]


def test_preferences_have_the_messages_that_the_models_were_sent(people: list[User]) -> None:
    good, bad = scene.attempts(2)
    project = scene.project(*people, of=[good, bad], kind="trajectory_pair")
    choose(project, people[0], better=str(good.pk))
    choose(project, people[1], better=str(good.pk))
    choose(project, people[2], better=str(bad.pk))
    (row,) = rows(project)
    for part in ("prompt", "chosen", "rejected"):
        assert row[part], part
        assert all(isinstance(one["content"], str) for one in row[part])
    assert [one["role"] for one in row["prompt"]] == ["system", "user", "user"]
    assert [one["role"] for one in row["chosen"]] == ["assistant", "user", "assistant"]
    assert row["chosen"][0]["content"] == f"Completion 1 of {good.pk}."
    assert row["rejected"][-1]["content"] == f"Completion 2 of {bad.pk}."
    assert (row["chosen_episode"], row["rejected_episode"]) == (good.pk, bad.pk)
    assert (row["annotators"], row["agreement"], row["same_prompt"]) == (3, pytest.approx(2 / 3), True)
    assert row["swapped"] == Label.objects.filter(is_swapped=True).count()
    assert (row["reasons"], row["source"]) == (["goal"], "majority")


def test_ties_and_disputes_are_left_out(people: list[User]) -> None:
    made = scene.attempts(2)
    project = scene.project(*people[:2], of=made, kind="trajectory_pair")
    choose(project, people[0], better=str(made[0].pk))
    assert len(rows(project)) == 1
    choose(project, people[1], better="tie")
    assert rows(project) == []
    assert [one.answer for one in list_winners(project)] == ["disputed"]


def test_what_was_settled_counts_before_the_majority(people: list[User]) -> None:
    made = scene.attempts(2)
    project = scene.project(*people[:2], of=made, kind="trajectory_pair")
    for user in people[:2]:
        choose(project, user, better=str(made[0].pk))
    label = Label.objects.order_by("pk")[0]
    other = {"first": "second", "second": "first"}[label.values["better"]]
    Label.objects.create(
        unit=label.unit, annotator=label.annotator, codebook=label.codebook, layer=Label.Layer.ADJUDICATED,
        version=1, state=Label.State.DONE, values={"better": other}, key=uuid.uuid4(),
    )  # fmt: skip
    (row,) = rows(project)
    assert (row["source"], row["agreement"], row["chosen_episode"]) == ("adjudicated", 0.0, made[1].pk)


def test_a_correction_replaces_a_choice_and_a_skip_is_none(people: list[User]) -> None:
    made = scene.attempts(2)
    project = scene.project(people[0], of=made, kind="trajectory_pair", overlap_people=1)
    slot = services.slot_next(scene.annotator(project, people[0]).pk)
    scene.label(slot, values={"better": "first", "why": []})
    scene.label(slot, values={"better": "neither", "why": []}, version=1)
    ((choice,),) = [list(one.choices.values()) for one in read_labelled_pairs(project)]
    assert choice.answer == "neither"
    scene.label(slot, state=Label.State.SKIPPED, version=2)
    assert read_labelled_pairs(project) == []


def test_next_steps_share_a_prompt_if_all_before_them_is_the_same(people: list[User]) -> None:
    group = factories.group()
    for name in ("left", "right"):
        one = factories.episode(group=group)
        factories.step(one, 1, raw="I look.", observation_text="start", action={"type": "noop"})
        factories.step(one, 2, raw=f"I go {name}.", observation_text="fork", action={"type": name})
    project = scene.project(people[0], of=list(Episode.objects.all()), kind="step_pair", overlap_people=1)
    unit = project.units.get()
    choose(project, people[0], better=str(unit.episode_id))
    (row,) = rows(project)
    assert row["same_prompt"] is True
    assert row["prompt"][-2:] == [
        {"role": "assistant", "content": "I look."},
        {"role": "user", "content": "Observation (text):\nfork"},
    ]
    assert [len(row["chosen"]), len(row["rejected"])] == [1, 1]
    Step.objects.filter(episode_id=unit.episode_id, index=1).update(raw="I stare.")
    assert rows(project)[0]["same_prompt"] is False


def test_the_export_of_pairs_has_the_preferences_and_its_import_does_without(people: list[User]) -> None:
    made = scene.attempts(2)
    project = scene.project(people[0], of=made, kind="trajectory_pair", overlap_people=1)
    choose(project, people[0], better=str(made[0].pk))
    data = files.archive(project)
    (line,) = files.rows(data, "preferences.jsonl")
    manifest = json.loads(files.member(data, "manifest.json"))
    assert line == rows(project)[0]
    assert manifest["files"]["preferences.jsonl"]["labels"] == 1
    assert files.take(project, data, name="labels.zip")["added"] == 0


def test_pairs_without_recorded_completions_are_left_out(people: list[User]) -> None:
    made = scene.attempts(2)
    project = scene.project(people[0], of=made, kind="trajectory_pair", overlap_people=1)
    choose(project, people[0], better=str(made[0].pk))
    Step.objects.filter(episode=made[1], index=2).update(raw="")
    assert rows(project) == []


@pytest.mark.parametrize("name", ["blind.jsonl", "blind.csv"])
def test_numbers_of_steps_come_back_from_files(people: list[User], name: str) -> None:
    made = scene.attempts(1, steps=4)
    first, second = (scene.project(user, of=made, kind="trajectory", overlap_people=1) for user in people[:2])
    values = {"success": "failed", "loops": "none", "first_wrong_step": 3}
    scene.label(services.slot_next(scene.annotator(first, people[0]).pk), values=values)
    files.take(second, files.member(files.archive(first), name), name=name)
    assert Label.objects.get(unit__project=second).values == values


def test_the_manifest_counts_the_pairs_without_a_preference(people: list[User]) -> None:
    good, bad, other = scene.attempts(3)
    project = scene.project(*people[:2], of=[good, bad, other], kind="trajectory_pair")
    first = project.units.order_by("position")[0]
    golds.gold_set(first, values={"better": "first", "why": ["goal"]}, why="It is right.")
    choose(project, people[0], better="first")
    choose(project, people[1], better="tie")
    manifest = json.loads(files.member(files.archive(project), "manifest.json"))
    assert manifest["files"]["preferences.jsonl"]["left_out"] == {"gold": 1, "disputed": 2}
