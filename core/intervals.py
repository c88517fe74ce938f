"""Confidence intervals of shares."""

from __future__ import annotations

import math
from statistics import NormalDist

Z_95 = 1.959964
TAIL = 0.025  # of the normal distribution, beyond Z_95


def wilson(*, share: float, n: float, comparisons: int = 1) -> tuple[float, float]:
    """Compute the Wilson score interval (Wilson 1927) of a share of ``n`` samples, at 95%; (0, 1) for none.

    With several ``comparisons`` it is wider, so that all of them hold together with 95% (Bonferroni).
    """
    z = Z_95 if comparisons <= 1 else NormalDist().inv_cdf(1 - TAIL / comparisons)
    return score_interval(share=share, n=n, z=z)


def score_interval(*, share: float, n: float, z: float) -> tuple[float, float]:
    """Compute Wilson's interval of ``z`` standard errors to either side; (0, 1) without a sample."""
    if not n:
        return 0.0, 1.0
    scale = 1 + z**2 / n
    middle = (share + z**2 / (2 * n)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / n + z**2 / (4 * n * n))
    return widen_to_include(share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def widen_to_include(estimate: float, *, low: float, high: float) -> tuple[float, float]:
    """Return the interval, widened to hold its estimate where rounding left that just outside."""
    return min(low, estimate), max(high, estimate)
