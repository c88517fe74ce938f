"""The component for steps that led to a page that the episode had not seen before."""

from __future__ import annotations

from itertools import pairwise

from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values


@component(
    "navigation",
    title="Navigation",
    description="For a step that led to another page, 1 if the episode had not seen that page, else 0.",
    unit="share of page changes",
    reads="addresses of steps",
    level="step",
)
def navigation(reading: Reading) -> Values | None:
    seen: set[str] = set()
    steps: dict[int, float | None] = {}
    for step, then in pairwise(reading.steps):
        seen.add(step.page)
        if then.page != step.page and step.actor != "person":
            steps[step.index] = float(then.page not in seen)
    return Values.mean_of(steps)
