"""A list of step budgets, each for a number of draws."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from core.integers import INT_MAX
from trajectories.rollouts.samplers.registry import horizon
from trajectories.rollouts.samplers.types import Horizon, Pool

STAGES_MAX = 100
Steps = Annotated[int, Meta(ge=1, le=10_000)]
Number = Annotated[int, Meta(ge=1, le=INT_MAX)]


@horizon
class StepwiseHorizon(Horizon, frozen=True, tag="stepwise"):
    """``steps`` are the budgets of the stages, and ``after`` the draws after which the next one begins, or
    the policy versions from which it does, if ``by`` says so.

    ScalingInter-RL (AgentGym-RL, Xi et al., arXiv 2509.08755) has 8, 12 and 15 steps in WebArena, changed
    every 80 trainer steps: ``steps`` [8, 12, 15], ``after`` [80, 160].
    """

    steps: Annotated[list[Steps], Meta(min_length=1, max_length=STAGES_MAX)]
    after: Annotated[list[Number], Meta(max_length=STAGES_MAX)]
    by: Literal["draws", "policy_versions"] = "draws"

    def __post_init__(self) -> None:
        if len(self.after) != len(self.steps) - 1:
            raise ValueError("after has one number fewer than steps")
        if any(first >= second for first, second in zip(self.after, self.after[1:], strict=False)):
            raise ValueError("after must rise")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        passed = number - 1 if self.by == "draws" else version
        return [self.steps[bisect_right(self.after, passed)]] * len(pool)
