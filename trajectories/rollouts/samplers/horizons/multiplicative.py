"""A multiple of the first step budget that grows by one in each iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from core.integers import INT_MAX
from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool

Steps = Annotated[int, Meta(ge=1, le=10_000)]


@horizon
class MultiplicativeHorizon(Horizon, frozen=True, tag="multiplicative"):
    """``start`` times i steps, up to ``end``, in the i-th iteration of ``every`` draws.

    The multiplicative schedule of TTI (Shen et al., arXiv 2506.07976): h_i = clip(h_min * i, h_max).
    """

    start: Steps
    end: Steps
    every: Annotated[int, Meta(ge=1, le=INT_MAX)] = 1

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise ValueError("start must not exceed end")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(self.start * ((number - 1) // self.every + 1), self.end)] * len(pool)
