"""Power analysis: the smallest gap that an evaluation can be expected to detect."""

from __future__ import annotations

import math
from statistics import NormalDist

import msgspec

FORMULA = (
    "gap = (t(1 - alpha/2) + t(power)) * sqrt((2 v icc (1 - rho) + 2 v (1 - icc) / samples) / items"
    " + look_sd^2 / looks), v = accuracy (1 - accuracy), t with looks - 1 degrees of freedom"
)


class Guess(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Assumptions of the formula, all of them from 0 to 1.

    ``icc`` is the correlation between two samples of an item in one arm, ``rho`` is the correlation of the
    items' true accuracies between two arms, and ``look_sd`` is the standard deviation of the gap over looks.
    """

    accuracy: float = 0.5
    icc: float = 0.5
    rho: float = 0.7
    look_sd: float = 0.02
    formula: str = FORMULA


def compute_smallest_gap(
    guess: Guess, *, items: int, samples: int, looks: int, alpha: float, power: float
) -> float | None:
    """Return the smallest gap, in points, that a test at level ``alpha`` detects with probability ``power``.

    This is the usual minimal detectable effect of a paired difference: the standard error, computed from the
    variance over items, samples and looks (``FORMULA``), times the sum of two quantiles of Student's t. The
    result is None with fewer than two items, or with fewer than two looks, since the effect of a single look
    cannot be separated from the gap.
    """
    if looks < 2 or items < 2:
        return None
    v = guess.accuracy * (1 - guess.accuracy)
    item_variance = 2 * v * guess.icc * (1 - guess.rho) + 2 * v * (1 - guess.icc) / samples
    error = math.sqrt(item_variance / items + guess.look_sd**2 / looks)
    return 100 * error * (compute_t_quantile(1 - alpha / 2, looks - 1) + compute_t_quantile(power, looks - 1))


def compute_t_quantile(p: float, df: int) -> float:
    """Return a quantile of Student's t by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5).

    For 1 and 2 degrees of freedom the result is exact.
    """
    if df == 1:
        return math.tan(math.pi * (p - 0.5))
    if df == 2:
        return (2 * p - 1) / math.sqrt(2 * p * (1 - p))
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + sum(term / float(df) ** order for order, term in enumerate(terms, start=1))
