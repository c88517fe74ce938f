"""Tool calls, when: was there a call at all?"""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "called",
    title="Called",
    description=(
        "1 if a tool was called, needed or not, else 0. With `needed` it tells needless calls from missing "
        "ones. Tasks that may be done either way have none."
    ),
    unit="decision to call",
    reads="tool calls and the acceptable call graphs",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def called(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or score.is_optional else Values(float(score.called > 0))
