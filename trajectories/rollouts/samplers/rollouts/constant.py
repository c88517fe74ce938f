"""The same number of samples of every task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from trajectories.rollouts.samplers.registry import rollouts
from trajectories.rollouts.samplers.types import Pool, Rollouts


@rollouts
class ConstantRollouts(Rollouts, frozen=True, tag="constant"):
    """The same number of samples of every task."""

    count: Annotated[int, Meta(ge=1, le=10_000)] = 8

    def samples(self, pool: Pool) -> Sequence[int]:
        return [self.count] * len(pool)
