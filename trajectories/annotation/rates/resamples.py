"""Estimates from a stratified sample of trajectories, with intervals from resampling whole trajectories.

In each stratum of n trajectories, n - 1 are drawn with replacement, each with weight n / (n - 1) (Rao and Wu
1988, doi 10.1080/01621459.1988.10478591). Drawing n would understate the variance of small strata.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.statistics import widen_to_include, wilson
from trajectories.annotation.agreement.coefficients import COVERAGE, RESAMPLES, SEED, Estimate, ratio

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
# With fewer trajectories, an interval would be meaningless.
TRAJECTORIES_MIN = 5
# Limits samples times trajectories, so more than 2,000 trajectories get fewer samples, which then suffice.
DRAWS_MAX = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Resamples:
    """Resamples of a sample's trajectories.

    ``clusters`` and ``strata`` give the trajectory and the stratum of each unit.
    """

    clusters: Sequence[Hashable]
    strata: Sequence[Hashable]

    @cached_property
    def codes(self) -> Codes:
        """The number of each unit's trajectory."""
        places = {name: place for place, name in enumerate(dict.fromkeys(self.clusters))}
        return np.array([places[name] for name in self.clusters], dtype=np.int64)

    @cached_property
    def count(self) -> int:
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    @cached_property
    def draws(self) -> Floats:
        """Weights of trajectories (columns) in each sample (row); the first row is the original sample."""
        rng = np.random.default_rng(SEED)
        size = min(RESAMPLES, DRAWS_MAX // max(self.count, 1))
        drawn = np.ones((size + 1, self.count))
        for members in self._members():
            n = len(members)
            if n > 1:
                times = rng.multinomial(n - 1, np.full(n, 1 / n), size=size)
                drawn[1:, members] = times * (n / (n - 1))
        return drawn

    def sums(self, values: Floats) -> Floats:
        """Sum a value over units in each sample."""
        totals = np.bincount(self.codes, weights=values, minlength=self.count)
        return np.asarray(self.draws @ totals, dtype=np.float64)

    def mean(self, values: Floats, weights: Floats) -> Floats:
        """Compute the weighted mean in each sample, dividing by the sum of the weights (Hájek)."""
        return ratio(self.sums(weights * values), self.sums(weights))

    def trajectories(self, mask: NDArray[np.bool_]) -> int:
        return len(np.unique(self.codes[mask]))

    def _members(self) -> list[Codes]:
        """Group trajectories by stratum; those that are alone in their strata form one joint stratum."""
        stratum = dict(zip(self.codes.tolist(), self.strata, strict=True))
        groups: dict[Hashable, list[int]] = {}
        for code, name in sorted(stratum.items()):
            groups.setdefault(name, []).append(code)
        alone = [members[0] for members in groups.values() if len(members) == 1]
        large = [members for members in groups.values() if len(members) > 1]
        return [np.array(members, dtype=np.int64) for members in (*large, alone) if members]


def estimate_sample(samples: Floats) -> Estimate:
    """Return the first sample's value as the estimate, with an interval from the other samples."""
    value, others = float(samples[0]), samples[1:]
    if not np.isfinite(value):
        return Estimate(value=None)
    usable = others[np.isfinite(others)]
    if len(usable) < max(len(others) * COVERAGE, 1) or np.ptp(usable) == 0:
        return Estimate(value=value)
    ends = np.quantile(usable, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    low, high = widen_to_include(value, low=float(ends[0]), high=float(ends[1]))
    return Estimate(value=value, low=low, high=high)


def estimate_share(samples: Floats, *, trajectories: int) -> Estimate:
    """Estimate a share. If the samples do not vary, use Wilson's interval for this number of trajectories."""
    estimate = estimate_sample(samples)
    if estimate.value is None:
        return estimate
    if trajectories < TRAJECTORIES_MIN:
        return Estimate(value=estimate.value)
    if estimate.low is None and estimate.value in (0.0, 1.0):
        low, high = wilson(share=estimate.value, n=trajectories)
        return Estimate(value=estimate.value, low=low, high=high)
    return estimate
