"""Rates with their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959964


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A share of correct verdicts with its 95% interval; all between 0 and 1."""

    correct: int
    judged: int
    tasks: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.correct / self.judged


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """Sums over tasks of k correct among n judged: all that the design effect needs."""

    tasks: int
    correct: int
    judged: int
    correct_squared: int
    correct_times_judged: int
    judged_squared: int


def rate_of(clusters: Clusters) -> Rate | None:
    """The Wilson score interval on the effective sample size; None when nothing was judged.

    Several samples of one task are not independent: on pooled samples (200 tasks x 4) a plain Wilson interval
    covers 80% where it says 95%. Hence n is divided by the design effect of clustering on tasks
    (Kish; Korn and Graubard 1998), which is 1 when each task was tried once.
    """
    if clusters.judged == 0:
        return None
    share = clusters.correct / clusters.judged
    low, high = wilson(share=share, n=effective_n(clusters))
    return Rate(correct=clusters.correct, judged=clusters.judged, tasks=clusters.tasks, low=low, high=high)


def effective_n(clusters: Clusters) -> float:
    """How many independent samples tell as much as these do."""
    if clusters.tasks == clusters.judged:
        return float(clusters.judged)
    share = clusters.correct / clusters.judged
    if clusters.tasks == 1 or share in (0.0, 1.0):
        # Nothing varies between tasks, so nothing can be estimated: one task counts once.
        return float(clusters.tasks)
    residuals = (
        clusters.correct_squared
        - 2 * share * clusters.correct_times_judged
        + share * share * clusters.judged_squared
    )
    variance = residuals / clusters.judged**2 * clusters.tasks / (clusters.tasks - 1)
    binomial = share * (1 - share) / clusters.judged
    return clusters.judged / max(1.0, variance / binomial)


def wilson(*, share: float, n: float) -> tuple[float, float]:
    """The Wilson score interval (Wilson 1927) of a share seen in ``n`` samples, at 95%."""
    scale = 1 + Z_95**2 / n
    middle = (share + Z_95**2 / (2 * n)) / scale
    half = Z_95 / scale * math.sqrt(share * (1 - share) / n + Z_95**2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
