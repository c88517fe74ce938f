"""A growing multiple of each task's own step budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from core.integers import INT_MAX
from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool

Multiple = Annotated[float, Meta(ge=0.1, le=10)]


@horizon
class RelativeHorizon(Horizon, frozen=True, tag="relative"):
    """Each task's own step budget times ``start`` in the first draw, changing evenly to ``end`` over
    ``draws`` draws.

    Ours: tasks of one pool differ in what they need, which one number for all ignores.
    """

    start: Multiple
    end: Multiple
    draws: Annotated[int, Meta(ge=1, le=INT_MAX)] = 100

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        grown = min((number - 1) / self.draws, 1.0)
        multiple = self.start + (self.end - self.start) * grown
        return [max(1, round(float(steps) * multiple)) for steps in pool.steps]
