"""Schedules of episodes' step budgets during training, and of the number of samples of each task.

To add one, write a class here and name it in ``AnyHorizon`` or ``AnyRollouts``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct

from core.database.integers import INT_MAX
from trajectories.rollouts.samplers.types import Pool, Prior

STAGES_MAX = 100
Steps = Annotated[int, Meta(ge=1, le=10_000)]
Multiple = Annotated[float, Meta(ge=0.1, le=10)]
Count = Annotated[int, Meta(ge=1, le=INT_MAX)]


class Horizon(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A schedule of step budgets during training. ``needs_lengths`` is true if it reads ``pool.longest``."""

    needs_lengths: ClassVar[bool] = False

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        """Return a step budget for each row of the pool; None leaves it to the task.

        ``number`` is the number of the draw, from 1, and ``version`` is the run's newest policy version."""
        raise NotImplementedError


class TaskHorizon(Horizon, frozen=True, tag="task"):
    """Every task keeps its own step budget: `max_steps` is null."""

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [None] * len(pool)


class AdditiveHorizon(Horizon, frozen=True, tag="additive"):
    """``start`` steps, and ``step`` more after every ``every`` draws, up to ``end``.

    ScalingInter-RL (AgentGym-RL, Xi et al., arXiv 2509.08755) raises the number of interactions in this way,
    in stages of several training steps. With ``step`` 1, and ``every`` set to the draws of an iteration, it
    is the additive schedule with which TTI (Shen et al., arXiv 2506.07976) compares its multiplicative one.
    """

    start: Steps
    end: Steps
    step: Steps = 1
    every: Count = 1

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise ValueError("start must not exceed end")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(self.start + (number - 1) // self.every * self.step, self.end)] * len(pool)


class MultiplicativeHorizon(Horizon, frozen=True, tag="multiplicative"):
    """``start`` times i steps, up to ``end``, in the i-th iteration of ``every`` draws.

    This is the multiplicative schedule of TTI (Shen et al., arXiv 2506.07976): h_i = clip(h_min * i, h_max).
    """

    start: Steps
    end: Steps
    every: Count = 1

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise ValueError("start must not exceed end")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(self.start * ((number - 1) // self.every + 1), self.end)] * len(pool)


class RelativeHorizon(Horizon, frozen=True, tag="relative"):
    """A multiple of each task's own step budget, from ``start`` to ``end``.

    It changes linearly over ``draws`` draws. This variant is ours: the tasks of a pool need different numbers
    of steps, which one number for all ignores.
    """

    start: Multiple
    end: Multiple
    draws: Count = 100

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        grown = min((number - 1) / self.draws, 1.0)
        multiple = self.start + (self.end - self.start) * grown
        return [max(1, round(float(steps) * multiple)) for steps in pool.steps]


class StepwiseHorizon(Horizon, frozen=True, tag="stepwise"):
    """``steps`` are the budgets of the stages; a new stage begins after each number of draws in ``after``.

    If ``by`` is ``policy_versions``, ``after`` lists the policy versions from which the next stage begins.
    ScalingInter-RL (AgentGym-RL, Xi et al., arXiv 2509.08755) has 8, 12 and 15 steps in WebArena and moves on
    every 80 trainer steps: ``steps`` [8, 12, 15], ``after`` [80, 160].
    """

    steps: Annotated[list[Steps], Meta(min_length=1, max_length=STAGES_MAX)]
    after: Annotated[list[Count], Meta(max_length=STAGES_MAX)]
    by: Literal["draws", "policy_versions"] = "draws"

    def __post_init__(self) -> None:
        if len(self.after) != len(self.steps) - 1:
            raise ValueError("after must have one number fewer than steps")
        if any(first >= second for first, second in zip(self.after, self.after[1:], strict=False)):
            raise ValueError("after must rise")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        passed = number - 1 if self.by == "draws" else version
        return [self.steps[bisect_right(self.after, passed)]] * len(pool)


class LongestSuccessHorizon(Horizon, frozen=True, tag="longest_success"):
    """The steps of each task's longest success in this run, from ``least`` to ``most``.

    It is ``most`` before the first success. DART (Li et al., arXiv 2509.23866) caps trajectories in this
    way, at 10 to 50 steps.
    """

    least: Steps = 10
    most: Steps = 50
    needs_lengths: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("least must not exceed most")

    def max_steps(self, pool: Pool, *, number: int, version: int) -> Sequence[int | None]:
        return [min(max(int(steps), self.least), self.most) if steps else self.most for steps in pool.longest]


AnyHorizon: TypeAlias = (
    AdditiveHorizon
    | LongestSuccessHorizon
    | MultiplicativeHorizon
    | RelativeHorizon
    | StepwiseHorizon
    | TaskHorizon
)


Samples = Annotated[int, Meta(ge=1, le=1_000)]


class Rollouts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A rule for the number of samples of each task."""

    def samples(self, pool: Pool) -> Sequence[int]:
        """Return a number of samples for each row of the pool."""
        raise NotImplementedError


class ConstantRollouts(Rollouts, frozen=True, tag="constant"):
    """The same number of samples of every task."""

    count: Annotated[int, Meta(ge=1, le=10_000)] = 8

    def samples(self, pool: Pool) -> Sequence[int]:
        return [self.count] * len(pool)


class ByNeedRollouts(Rollouts, frozen=True, tag="by_need"):
    """The smallest n from ``least`` to ``most`` for which a group has a success with probability ``chance``.

    Under a task's Beta(a, b) posterior, n samples all fail with probability E[(1 - p)^n] = B(a, b + n) / B(a,
    b). The idea that rollouts depend on a task's difficulty is from DART (Li et al., arXiv 2509.23866:
    "dynamically adjusting rollout numbers and trajectory lengths based on task difficulty"); the formula is
    ours.
    """

    least: Samples = 4
    most: Samples = 16
    chance: Annotated[float, Meta(gt=0, lt=1)] = 0.9
    prior: Prior = Prior()

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("least must not exceed most")

    def samples(self, pool: Pool) -> Sequence[int]:
        import numpy
        from scipy.special import betaln

        correct, incorrect = pool.posterior(self.prior)
        counts = numpy.arange(self.least, self.most)
        failures = betaln(correct[:, None], incorrect[:, None] + counts) - betaln(correct, incorrect)[:, None]
        enough = numpy.exp(failures) <= 1 - self.chance
        # Counting the numbers of samples that are not enough leads to the first number that is.
        return [int(n) for n in self.least + (~enough).sum(axis=1)]


AnyRollouts: TypeAlias = ByNeedRollouts | ConstantRollouts
