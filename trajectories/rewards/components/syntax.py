"""The component for model outputs that could be parsed as an action."""

from __future__ import annotations

from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values


@component(
    "syntax",
    title="Syntax",
    description="1 for a completion that could be parsed as an action, else 0.",
    unit="share of steps",
    reads="the policy's steps",
    level="step",
)
def syntax(reading: Reading) -> Values | None:
    return Values.mean_of({step.index: float(step.is_readable) for step in reading.own_steps})
