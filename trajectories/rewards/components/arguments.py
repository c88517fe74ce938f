"""Tool calls, how: were the arguments right?"""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "arguments",
    title="Arguments",
    description=(
        "How near the arguments are to the right ones, 1 for the same, as the mean over the fields of calls "
        "of the right tools. Episodes without such a call have none."
    ),
    unit="nearness of arguments",
    reads="tool calls and the acceptable call graphs",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def arguments(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.arguments is None else Values(score.arguments)
