"""Tool calls, how: did calls return a result?"""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "call_results",
    title="Calls with a result",
    description=(
        "The share of calls that a tool answered with a result rather than with what is wrong. Episodes "
        "without a call have none."
    ),
    unit="share of calls",
    reads="tool calls",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def call_results(reading: Reading) -> Values | None:
    score = score_read(reading)
    if score is None:
        return None
    calls = score.called + score.harmless
    return Values((calls - score.failed) / calls) if calls else None
