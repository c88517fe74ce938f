"""Statistics of profiles' payments for the same episodes: pure functions of payments.

Payments are taken as equal that differ by less than a rounding of sums may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

DIGITS = 9


@dataclass(frozen=True)
class Mean:
    """``value`` is None where nothing is known."""

    value: float | None
    count: int


@dataclass(frozen=True)
class Pairs:
    """Pairs of a right episode and a wrong one: how many there are, in how many the wrong one is paid more,
    and in how many it is paid the same."""

    count: int = 0
    inverted: int = 0
    tied: int = 0

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.count + other.count, self.inverted + other.inverted, self.tied + other.tied)


def mean_of(values: Sequence[float | None]) -> Mean:
    """Return the mean of the known values, and their number."""
    known = [value for value in values if value is not None]
    return Mean(float(np.mean(known)) if known else None, len(known))


def ranks_of(payments: ArrayLike) -> NDArray[np.float64]:
    """Rank the payments from 1, the highest; equal payments share the mean of their ranks."""
    values = -_rounded(payments)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return Spearman's correlation, with ties by mean ranks.

    None if either side pays everyone the same, or for fewer than two episodes.
    """
    ranks = [ranks_of(payments) for payments in (first, second)]
    if any(len(one) < 2 or one.min() == one.max() for one in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def pairs_of(right: ArrayLike, wrong: ArrayLike) -> Pairs:
    """Compare every right episode with every wrong one: all pairs, inverted ones and ties."""
    below, above = np.sort(_rounded(right)), _rounded(wrong)
    lower = np.searchsorted(below, above, side="left")
    not_higher = np.searchsorted(below, above, side="right")
    return Pairs(len(below) * len(above), int(lower.sum()), int((not_higher - lower).sum()))


def _rounded(payments: ArrayLike) -> NDArray[np.float64]:
    rounded: NDArray[np.float64] = np.asarray(payments, dtype=np.float64).round(DIGITS)
    return rounded
