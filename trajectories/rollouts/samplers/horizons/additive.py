"""A few steps more in each iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from core.integers import INT_MAX
from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool

Steps = Annotated[int, Meta(ge=1, le=10_000)]


@horizon
class AdditiveHorizon(Horizon, frozen=True, tag="additive"):
    """``start`` steps, and ``step`` more after every ``every`` draws, up to ``end``.

    ScalingInter-RL (AgentGym-RL, Xi et al., arXiv 2509.08755) raises the number of interactions so, in
    stages of some training steps. With ``step`` 1 and ``every`` the draws of an iteration it is the additive
    schedule that TTI (Shen et al., arXiv 2506.07976) holds its multiplicative one against.
    """

    start: Steps
    end: Steps
    step: Steps = 1
    every: Annotated[int, Meta(ge=1, le=INT_MAX)] = 1

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise ValueError("start must not exceed end")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(self.start + (number - 1) // self.every * self.step, self.end)] * len(pool)
