"""The page of an episode explains why its step budget differs from that of its task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from core.episodes.presentation import Look
from tests import factories
from tests.conftest import LabClient
from trajectories.lab.episode.page import budget_reason
from trajectories.record.prompts.interface import Setup, setup_of
from trajectories.rollouts.episodes.drafts import limit_steps

pytestmark = pytest.mark.django_db


def test_an_episode_with_the_budget_of_its_task_has_no_note() -> None:
    task = factories.task()
    assert budget_reason(factories.episode(task=task, max_steps=task.max_steps)) == ""


def test_steps_added_by_the_look_are_explained() -> None:
    task, look = factories.task(), Look(pop_ups="late", form="dialog")
    most = limit_steps(task, setup=_setup(), look=look)
    assert most > task.max_steps
    episode = factories.episode(task=task, arm="gym", max_steps=most, presentation=look.as_dict())
    assert budget_reason(episode) == f"{task.max_steps} for the task, the rest for its look and set-up"


def test_a_set_up_that_takes_more_actions_has_a_larger_budget() -> None:
    task = factories.task(oracle_steps=20)
    by_outline = limit_steps(task, setup=_setup(), look=Look())
    by_picture = limit_steps(task, setup=_setup(observation="screenshot-v2"), look=Look())
    by_position = limit_steps(
        task, setup=_setup(observation="both-v2", grammar="computer_openai"), look=Look()
    )
    assert by_outline == task.max_steps < by_picture < by_position


def test_without_a_page_the_budget_is_that_of_one_answer() -> None:
    for arm in ("text_agent", "text_zero_shot"):
        budgets = {
            limit_steps(factories.task(oracle_steps=steps), setup=_setup(arm), look=Look())
            for steps in (2, 99)
        }
        assert len(budgets) == 1
        assert budgets.pop() < factories.task(oracle_steps=2).max_steps


def _setup(arm: str = "gym", **fields: str) -> Setup:
    return setup_of(factories.run(**fields), arm=arm, channel="page")


def test_a_budget_set_at_opening_is_explained() -> None:
    task = factories.task()
    episode = factories.episode(task=task, arm="gym", max_steps=77)
    assert budget_reason(episode) == f"set when opened; the task has {task.max_steps}"


def test_an_episode_without_a_page_says_so() -> None:
    task = factories.task()
    episode = factories.episode(task=task, arm="text_zero_shot", max_steps=2)
    assert budget_reason(episode) == f"no page; with one the task has {task.max_steps}"


@pytest.mark.parametrize(
    ("task_fields", "fields"),
    [
        ({}, {"presentation": {"axis_of_old": "large"}}),
        ({}, {"presentation": {"pop_ups": "of_old"}}),
        ({"kind": "kind_of_old"}, {}),
        ({"kind": "site", "payload": {"site": "stays"}}, {"presentation": {"form": "dialog"}}),
    ],
)
def test_values_unknown_to_this_version_leave_the_budget_unexplained(
    task_fields: dict[str, Any], fields: dict[str, Any]
) -> None:
    task = factories.task(**task_fields)
    episode = factories.episode(task=task, arm="gym", max_steps=77, **fields)
    assert budget_reason(episode) == f"differs from its task's {task.max_steps}"


def test_an_episode_of_a_removed_kind_still_has_a_page(
    lab: Callable[[User | None], LabClient], annotator: User
) -> None:
    task = factories.task(kind="kind_of_old", payload={"wording": "of old"})
    episode = factories.episode(task=task, max_steps=77, presentation={"axis_of_old": "large"})
    response = lab(annotator).get(f"/episodes/{episode.pk}/")
    assert response.status_code == 200
    assert f"differs from its task&#x27;s {task.max_steps}" in response.content.decode()
