"""Tool calls, when: were tools called exactly where they were needed?"""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "needed",
    title="Needed",
    description=(
        "1 if a tool was called where the task needs one, or none where it needs none, else 0. Calls that "
        "the task calls harmless do not count."
    ),
    unit="decision to call",
    reads="tool calls and the acceptable call graphs",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def needed(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None else Values(score.needed)
