"""When, which and how, of recorded episodes with a panel of tools."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tasks_app.models import Gold
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.oracle import list_calls
from tasks_app.tool_tasks.types import Call, Truth
from tests import factories
from tests.rewards.test_components import computed, over
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db

RIGHT = {"needed": 1, "called": 1, "selection": 1, "arguments": 1, "redundant": 0, "call_results": 1}
NOT_CALLED = {"called": 0}
DRAFTS = {draft.key.partition("/")[0]: draft for draft in starter_drafts("tools")}


def opened(family: str, **fields: Any) -> Episode:
    draft = DRAFTS[family]
    fields_of_task = {"payload": dict(draft.payload), "answer": draft.gold.answer, "tags": list(draft.tags)}
    task = factories.task(kind="tools", **fields_of_task)
    Gold.objects.filter(task=task).update(extra=dict(draft.gold.extra))
    return factories.episode(task=task, variation={"tools": draft.payload["tools"]}, **fields)


def oracle_calls(family: str) -> list[Call]:
    truth = msgspec.convert(DRAFTS[family].gold.extra, Truth)
    return list_calls(truth.graphs[0])


def called(episode: Episode, calls: list[Call], *, step: int | None = None) -> None:
    for number, call in enumerate(calls, start=1):
        data = {"tool": call.tool, "number": number, "arguments": dict(call.arguments), "is_ok": call.is_ok}
        SiteEvent.objects.create(episode=episode, seq=number, step=step, kind="tool_called", data=data)


def parts_of(episode: Episode) -> dict[str, float | None]:
    values = computed(over(episode))
    return {name: values[name].episode for name in RIGHT if name in values}


@pytest.mark.parametrize("family", DRAFTS)
def test_the_oracle_is_right_in_all_parts(family: str) -> None:
    episode = opened(family)
    called(episode, oracle_calls(family))
    assert parts_of(episode) == ({"needed": 1, **NOT_CALLED} if family == "no_tool" else RIGHT)


@pytest.mark.parametrize("family", DRAFTS)
def test_an_episode_without_calls_has_its_decision_alone(family: str) -> None:
    assert parts_of(opened(family)) == {"needed": float(family == "no_tool"), **NOT_CALLED}


def test_a_needless_call_is_one() -> None:
    episode = opened("no_tool")
    called(episode, [Call("calculator", {"expression": "1"})])
    assert parts_of(episode) == {"needed": 0, "called": 1, "redundant": 1, "call_results": 1}


def test_another_tool_and_other_arguments_cost_their_own_part() -> None:
    episode = opened("one_tool")
    called(episode, [Call("zone", {}, is_ok=False)])
    assert parts_of(episode) == {"needed": 1, "called": 1, "selection": 0, "redundant": 1, "call_results": 0}
    episode = opened("one_tool")
    (right,) = oracle_calls("one_tool")
    called(episode, [Call(right.tool, dict.fromkeys(right.arguments, "zz"), is_ok=False)])
    parts = parts_of(episode)
    assert (parts["needed"], parts["selection"], parts["redundant"], parts["call_results"]) == (1, 1, 0, 0)
    assert parts["arguments"] is not None
    assert parts["arguments"] < 0.5


def test_a_call_that_is_made_twice_is_redundant_and_lowers_the_selection() -> None:
    episode = opened("one_tool")
    called(episode, oracle_calls("one_tool") * 2)
    assert parts_of(episode) == {**RIGHT, "selection": 0.5, "redundant": 0.5}


def test_what_a_person_calls_in_the_policys_place_is_not_its_own() -> None:
    episode = opened("one_tool")
    factories.step(episode, 1, actor="person", action={"type": "click", "target": "e3"}, action_type="click")
    called(episode, oracle_calls("one_tool"), step=1)
    assert parts_of(episode) == {"needed": 0, **NOT_CALLED}


def test_other_tasks_have_none_of_the_parts() -> None:
    values = computed(over(factories.episode()))
    assert not set(values) & set(RIGHT)


@pytest.mark.parametrize("family", DRAFTS)
def test_calls_without_a_page_are_scored_as_those_on_one(family: str) -> None:
    episode = opened(family, arm="text_agent", recording="off")
    called(episode, oracle_calls(family))
    assert parts_of(episode) == ({"needed": 1, **NOT_CALLED} if family == "no_tool" else RIGHT)


def test_a_reading_probe_of_a_task_with_tools_has_none_of_the_parts() -> None:
    assert parts_of(opened("one_tool", arm="probe_read")) == {}
