"""Calls of tools: whether they were needed, which tools, with what arguments, and with what results."""

from __future__ import annotations

from functools import partial

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read

GRAPHS = "tool calls and the acceptable call graphs"
tool_component = partial(component, level="episode", kinds=frozenset({kinds.TOOLS}))


@tool_component(
    "needed",
    title="Needed",
    description=(
        "1 if a tool was called where the task needs one, or none where it needs none, else 0. Calls that "
        "the task calls harmless do not count."
    ),
    unit="decision to call",
    reads=GRAPHS,
)
def needed(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None else Values(score.needed)


@tool_component(
    "called",
    title="Called",
    description=(
        "1 if a tool was called, needed or not, else 0. With `needed` it tells needless calls from missing "
        "ones. Tasks that may be done either way have none."
    ),
    unit="decision to call",
    reads=GRAPHS,
)
def called(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.is_optional else Values(float(score.called > 0))


@tool_component(
    "selection",
    title="Selection",
    description=(
        "Calls of the right tools, as a share of all calls made and missing, by the acceptable call graph "
        "that fits best. Tasks that need no tool, and episodes without a call, have none."
    ),
    unit="share of calls",
    reads=GRAPHS,
)
def selection(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.selection is None else Values(score.selection)


@tool_component(
    "arguments",
    title="Arguments",
    description=(
        "How near the arguments are to the right ones, 1 for the same, as the mean over the fields of calls "
        "of the right tools. Episodes without such a call have none."
    ),
    unit="nearness of arguments",
    reads=GRAPHS,
)
def arguments(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.arguments is None else Values(score.arguments)


@tool_component(
    "call_results",
    title="Calls with a result",
    description=(
        "The share of calls that a tool answered with a result rather than with what is wrong. Episodes "
        "without a call have none."
    ),
    unit="share of calls",
    reads="tool calls",
)
def call_results(reading: Reading) -> Values | None:
    score = score_read(reading)
    if score is None:
        return None
    calls = score.called + score.harmless
    return Values((calls - score.failed) / calls) if calls else None


@tool_component(
    "redundant",
    title="Redundant calls",
    description=(
        "Calls that belong to no node of the call graph that fits best, needless, repeated or premature, as "
        "a share of all calls but the harmless. Episodes without a call have none."
    ),
    unit="share of calls",
    reads=GRAPHS,
)
def redundant(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or not score.called else Values(score.surplus / score.called)
