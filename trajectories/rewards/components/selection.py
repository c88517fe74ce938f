"""Tool calls, which: were the right tools called?"""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "selection",
    title="Selection",
    description=(
        "Calls of the right tools, as a share of all calls made and missing, by the acceptable call graph "
        "that fits best. Tasks that need no tool, and episodes without a call, have none."
    ),
    unit="share of calls",
    reads="tool calls and the acceptable call graphs",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def selection(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.selection is None else Values(score.selection)
