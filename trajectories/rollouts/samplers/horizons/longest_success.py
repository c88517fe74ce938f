"""A step budget of as many steps as the longest success took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool

Steps = Annotated[int, Meta(ge=1, le=10_000)]


@horizon
class LongestSuccessHorizon(Horizon, frozen=True, tag="longest_success"):
    """The steps of each task's longest success in this run, from ``least`` to ``most``; ``most`` before there
    is one.

    DART (Li et al., arXiv 2509.23866) caps trajectories so, at 10 to 50 steps.
    """

    least: Steps = 10
    most: Steps = 50
    needs_lengths: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("least must not exceed most")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(max(int(steps), self.least), self.most) if steps else self.most for steps in pool.longest]
