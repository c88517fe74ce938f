"""Components for tool calls: their necessity, the choice of tools, the arguments and the results."""

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
        "1 if a tool was called for a task that needs one, or none for a task that needs none, else 0. "
        "Calls that the task declares harmless do not count."
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
        "1 if a tool was called, whether needed or not, else 0. Together with `needed` it distinguishes "
        "needless calls from missing ones. Tasks that may be done either way have no value."
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
        "Calls to the right tools as a share of the calls made plus the calls missing, according to the "
        "best-fitting acceptable call graph. Tasks that need no tool, and episodes without a call, have no "
        "value."
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
        "How close the arguments are to the right ones (1 if equal), as a mean over the fields of calls of "
        "the right tools. Episodes without such a call have no value."
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
        "The share of calls that a tool answered with a result and not with an error. Episodes without a "
        "call have no value."
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
        "Calls that match no node of the best-fitting call graph, because they are needless, repeated or "
        "premature, as a share of all calls except harmless ones. Episodes without a call have no value."
    ),
    unit="share of calls",
    reads=GRAPHS,
)
def redundant(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or not score.called else Values(score.surplus / score.called)
