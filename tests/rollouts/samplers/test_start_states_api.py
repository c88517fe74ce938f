"""Samplers that open start states, through the calls of a trainer."""

from __future__ import annotations

from typing import Any

import pytest

from tasks_app.models import Task
from tests import factories
from tests.conftest import ApiClient
from tests.rollouts.episodes.test_start_states import guide as guide
from tests.rollouts.episodes.test_start_states import scripted
from tests.rollouts.episodes.test_start_states import task as task
from tests.rollouts.samplers.test_guidance_api import drawn, made
from trajectories.models import Episode, Run

pytestmark = pytest.mark.django_db
STARTS = {"kind": "paired", "guidance": "start_state", "fraction": 0.5}


def opened(client: ApiClient, run: Run, item: Any) -> list[Episode]:
    """What a trainer opens of a draw."""
    fields = {name: item[name] for name in ("samples_per_task", "guidance") if item[name]}
    body = {"run": run.pk, "tasks": [item["task"]], "arm": "gym", **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return list(Episode.objects.filter(pk__in=[one["id"] for one in answer["episodes"]]))


def test_a_pair_is_a_start_state_and_the_task_from_its_beginning(guide: ApiClient, task: Task) -> None:
    solution, run = scripted(task), factories.run()
    sampler = made(guide, run, STARTS, [task])

    guided, plain = drawn(guide, sampler, 1)["items"]

    assert guided["guidance"] == {"kind": "start_state", "steps": 4}
    assert guided["why"] == {"reason": "guided", "steps": 4, "of": 7, "is_searched": False, "failures": 0}
    assert (plain["guidance"], plain["why"]["reason"]) == (None, "unguided")
    assert guided["samples_per_task"] == plain["samples_per_task"]
    assert {(one.parent_id, one.begins_after) for one in opened(guide, run, guided)} == {(solution.pk, 4)}
    assert {one.parent_id for one in opened(guide, run, plain)} == {None}


def test_the_start_is_the_earliest_from_which_the_search_had_a_success(guide: ApiClient, task: Task) -> None:
    scripted(task)
    searched, run = factories.run(), factories.run()
    for steps, outcome in ((2, "incorrect"), (3, "correct"), (5, "correct")):
        item = {"task": task.pk, "samples_per_task": 1, "guidance": {"kind": "start_state", "steps": steps}}
        (one,) = opened(guide, searched, item)
        factories.verdict(one, outcome)
    sampler = made(guide, run, {**STARTS, "searched": searched.pk}, [task])

    guided, _ = drawn(guide, sampler, 1)["items"]

    assert (guided["guidance"]["steps"], guided["why"]["is_searched"]) == (3, True)


def test_a_task_without_a_start_is_drawn_once_and_says_why(guide: ApiClient, task: Task) -> None:
    bare, run = factories.task(), factories.run()
    scripted(task)
    sampler = made(guide, run, {**STARTS, "fraction": 0.99}, [task, bare])

    whys = {item["task"]: (item["guidance"], item["why"]) for item in drawn(guide, sampler, 2)["items"]}

    assert whys[bare.pk] == (None, {"reason": "no_start_state", "because": "no_solution", "failures": 0})
    leaks = {"reason": "no_start_state", "because": "leaks", "steps": 7, "clean": 0, "of": 7, "failures": 0}
    assert whys[task.pk] == (None, leaks)


def test_solutions_of_other_arms_and_set_ups_start_nothing(guide: ApiClient, task: Task) -> None:
    scripted(task)
    other = factories.run(grammar="functions")
    sampler = made(guide, other, STARTS, [task])
    (item,) = drawn(guide, sampler, 1)["items"]
    assert item["why"]["because"] == "no_solution"

    body = {"run": other.pk, "strategy": {**STARTS, "arm": "text_zero_shot"}, "tasks": {"ids": [task.pk]}}
    status, answer = guide.json("POST", "/samplers", body)
    assert status in (400, 422), answer
