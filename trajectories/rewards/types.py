"""Reward components, their inputs and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from msgspec import Struct

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.tool_tasks.scores import Score, score_calls
from tasks_app.tool_tasks.types import Call, Truth
from tasks_app.tools.data import draw_data
from tasks_app.worlds.evidence import TOOL_CALLED

Level = Literal["step", "episode"]
"""A component at the level ``step`` has a value for each step that it applies to; their mean is the value for
the episode."""
Steps = Mapping[int, float | None]


class ReadStep(Struct, frozen=True, kw_only=True):
    """The parts of a step that components read.

    ``result`` and ``check`` are the outcome of its action, and ``page`` is the page on which it was done.
    ``repeats`` is the earlier step that it repeats, None if there is none. ``completion`` is the number of
    tokens, None if the harness did not report it. ``thought`` is read only for a milestone that needs it, and
    is None if the reasoning was hidden.
    """

    index: int
    actor: str
    type: str
    is_readable: bool
    result: str
    check: str
    repeats: int | None
    page: str
    completion: int | None
    thought: str | None = ""


class Mark(Struct, frozen=True, kw_only=True):
    """A page's report that a choice was marked. ``label`` is None if the page was loaded again, which leaves
    nothing marked.
    """

    step: int | None
    label: str | None


class Reading(Struct, frozen=True, kw_only=True):
    """An ended episode as components read it, with its task's gold if the task has one.

    ``submitted`` is None if there is no answer. ``payload`` is the task's original one, which the episode may
    have shown in a ``variation``. ``events`` are the site events in order, and ``marks`` are the marked
    choices of a question with choices. If ``has_facts`` is false, the effects and repetitions of steps are
    not known yet.
    """

    episode: int
    has_facts: bool
    arm: str
    recording: str
    variation: dict[str, Any] | None
    outcome: str
    benchmark: str
    tags: list[str]
    kind: str
    payload: dict[str, Any]
    gold: str | None
    accepted: list[str]
    extra: dict[str, Any]
    submitted: str | list[str] | None
    steps: list[ReadStep]
    events: list[dict[str, Any]]
    marks: list[Mark]

    @property
    def own_steps(self) -> list[ReadStep]:
        """The policy's own steps; steps that a person took in its place earn it nothing."""
        return [step for step in self.steps if step.actor != "person"]


@dataclass(frozen=True)
class Values:
    """A component's value for one episode and for its steps.

    A component that does not apply has no ``Values``; None is a value that could not be computed.
    """

    episode: float | None
    steps: Steps = field(default_factory=dict)

    @classmethod
    def mean_of(cls, steps: Steps) -> Values | None:
        """Return the steps' values with their mean; None if no step has a value."""
        known = [value for value in steps.values() if value is not None]
        return cls(sum(known) / len(known), steps) if known else None


Rule = Callable[[Reading], Values | None]
"""A function that computes an episode's values of one component; None if there are none."""
Compute = Callable[[Reading], Mapping[str, Values]]


@dataclass(frozen=True, kw_only=True)
class Component:
    """A reward component. ``id`` is the name of its values, or with ``is_family`` the part of their names
    before ``/``.

    ``low`` and ``high`` bound every value; ``high`` is None if there is no upper bound. A change that would
    give the same episode a different value needs a higher ``version``. ``kinds`` are the kinds of tasks that
    can have the component, None if all can. If ``is_awaited``, the component applies to every episode, and a
    missing value is not known yet.
    """

    id: str
    title: str
    description: str
    unit: str
    reads: str
    level: Level
    version: int = 1
    low: float = 0.0
    high: float | None = 1.0
    is_family: bool = False
    kinds: frozenset[str] | None = None
    is_awaited: bool = False
    compute: Compute | None = None


@dataclass(frozen=True, kw_only=True)
class QuestionMilestone:
    """An intermediate point on the way to a question's answer, for tasks of certain kinds or benchmarks.

    A change of the rule that would give the same episode a different value needs a higher ``version``.
    """

    name: str
    description: str
    rule: Rule
    kinds: frozenset[str] = frozenset()
    benchmarks: frozenset[str] = frozenset()
    version: int = 1


def score_read(reading: Reading) -> Score | None:
    """Score an episode's tool calls; return None if it has no tools."""
    if reading.kind != kinds.TOOLS or "graphs" not in reading.extra or not ARMS[reading.arm].has_tools:
        return None
    truth = msgspec.convert(
        {name: reading.extra[name] for name in ("graphs", "harmless") if name in reading.extra}, Truth
    )
    return score_calls(calls_of(reading), truth, draw_data(reading.payload["seed"]))


def calls_of(reading: Reading) -> list[Call]:
    """Return the policy's own tool calls in order, without a person's calls."""
    others = {step.index for step in reading.steps if step.actor == "person"}
    return [
        _call(event["data"])
        for event in reading.events
        if event["kind"] == TOOL_CALLED and event["step"] not in others
    ]


def _call(data: Mapping[str, Any]) -> Call:
    return Call(data["tool"], data.get("arguments", {}), bool(data.get("is_ok", True)))
