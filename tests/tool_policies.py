"""Scripted policies for tasks with tools, each with at most one fault, and the components they should get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from tasks_app.tool_tasks.types import Call, Truth
from trajectories.rewards.store import components_of, readings_of

OTHERS = {"travel_time": "distance"}


@dataclass(frozen=True)
class Policy:
    """A function that replaces the oracle's calls, and the expected components if a task needs tools."""

    play: Callable[[list[Call]], list[Call]]
    expected: Mapping[str, float]


def wrong_tool(calls: list[Call]) -> list[Call]:
    return [Call(OTHERS.get(call.tool, "travel_time"), {}) for call in calls]


def wrong_arguments(calls: list[Call]) -> list[Call]:
    return [Call(call.tool, dict.fromkeys(call.arguments, "zz")) for call in calls]


POLICIES = {
    "oracle": Policy(lambda calls: calls, {"needed": 1, "selection": 1, "arguments": 1}),
    "never": Policy(lambda _calls: [], {"needed": 0}),
    "always": Policy(
        lambda calls: calls or [Call("handbook", {"query": "boats"})], {"needed": 1, "selection": 1}
    ),
    "wrong tool": Policy(wrong_tool, {"needed": 1, "selection": 0}),
    "wrong arguments": Policy(wrong_arguments, {"needed": 1, "selection": 1, "arguments": 0}),
}


def planted_check(policy: str, truth: Truth, episode: int) -> None:
    """Assert that an ended episode's components are those expected for its policy."""
    (reading,) = readings_of([episode])
    values = components_of(reading)
    if not any(truth.graphs):
        assert values["needed"].episode == float(policy != "always")
        return
    for name, value in POLICIES[policy].expected.items():
        near = pytest.approx(value, abs=0.35 if policy == "wrong arguments" else 0)
        assert values[name].episode == near, name
    assert ("arguments" in values) is (policy not in ("never", "wrong tool"))
