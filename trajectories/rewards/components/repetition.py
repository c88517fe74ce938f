"""The component for steps that repeat an earlier action in the same place."""

from __future__ import annotations

from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values


@component(
    "repeated",
    title="Repeated",
    description="1 for a step that repeats an earlier step's action in the same place, else 0.",
    unit="share of steps",
    reads="facts of steps",
    level="step",
)
def repeated(reading: Reading) -> Values | None:
    return Values.mean_of({step.index: float(step.repeats is not None) for step in reading.own_steps})
