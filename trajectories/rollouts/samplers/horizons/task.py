"""Every task keeps its own step budget."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool


@horizon
class TaskHorizon(Horizon, frozen=True, tag="task"):
    """Every task keeps its own step budget: `max_steps` is null."""

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [None] * len(pool)
