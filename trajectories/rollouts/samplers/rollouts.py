"""Numbers of samples of each task. A new rule is a class here, named in ``AnyRollouts``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from trajectories.rollouts.samplers.types import Pool, Prior

Count = Annotated[int, Meta(ge=1, le=1_000)]


class Rollouts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """Number of samples of each task."""

    def samples(self, pool: Pool) -> Sequence[int]:
        """One number for each row."""
        raise NotImplementedError


class ConstantRollouts(Rollouts, frozen=True, tag="constant"):
    """The same number of samples of every task."""

    count: Annotated[int, Meta(ge=1, le=10_000)] = 8

    def samples(self, pool: Pool) -> Sequence[int]:
        return [self.count] * len(pool)


class ByNeedRollouts(Rollouts, frozen=True, tag="by_need"):
    """The least n from ``least`` to ``most`` for which a group has a success with probability ``chance``.

    Under a task's Beta(a, b) posterior, n samples all fail with probability
    E[(1 - p)^n] = B(a, b + n) / B(a, b). That rollouts follow a task's difficulty is from DART (Li et al.,
    arXiv 2509.23866: "dynamically adjusting rollout numbers and trajectory lengths based on task
    difficulty"); this formula for it is ours.
    """

    least: Count = 4
    most: Count = 16
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
        # The first count that suffices: those before it, which do not, are counted.
        return [int(n) for n in self.least + (~enough).sum(axis=1)]


AnyRollouts: TypeAlias = ByNeedRollouts | ConstantRollouts
