"""The component for the length of the model's output."""

from __future__ import annotations

from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values


@component(
    "length",
    title="Length",
    description="Tokens of all completions in the episode, if the harness reported every one of them.",
    unit="tokens",
    reads="usage of steps",
    level="episode",
    high=None,
)
def length(reading: Reading) -> Values | None:
    counts = [step.completion for step in reading.own_steps]
    known = [count for count in counts if count is not None]
    return Values(float(sum(known))) if known and len(known) == len(counts) else None
