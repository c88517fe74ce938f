"""Pointless calls: needless, repeated, or made before their prerequisites."""

from __future__ import annotations

from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values, score_read


@component(
    "redundant",
    title="Redundant calls",
    description=(
        "Calls that belong to no node of the call graph that fits best, needless, repeated or premature, as "
        "a share of all calls but the harmless. Episodes without a call have none."
    ),
    unit="share of calls",
    reads="tool calls and the acceptable call graphs",
    level="episode",
    kinds=frozenset({kinds.TOOLS}),
)
def redundant(reading: Reading) -> Values | None:
    score = score_read(reading)
    return None if score is None or not score.called else Values(score.surplus / score.called)
