"""Shares and means with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

Z_95 = 1.959964
TAIL = 0.025  # probability of the normal distribution above Z_95


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A share of correct verdicts with its 95% interval. Share and bounds are between 0 and 1."""

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
    """Sums over tasks with k correct among n judged episodes: all that the design effect depends on."""

    tasks: int
    correct: int
    judged: int
    correct_squared: int
    correct_times_judged: int
    judged_squared: int


def rate_of(clusters: Clusters) -> Rate | None:
    """Return the Wilson score interval on the effective sample size; None when nothing was judged.

    Several samples of one task are not independent: on pooled samples (200 tasks x 4) a plain Wilson interval
    covers 80% instead of 95%. So n is divided by the design effect of clustering on tasks
    (Kish; Korn and Graubard 1998), which is 1 when each task was tried once.
    """
    if clusters.judged == 0:
        return None
    share = clusters.correct / clusters.judged
    low, high = wilson(share=share, n=effective_n(clusters))
    return Rate(correct=clusters.correct, judged=clusters.judged, tasks=clusters.tasks, low=low, high=high)


def effective_n(clusters: Clusters) -> float:
    """Return the number of independent samples that would carry as much information as these clusters."""
    if clusters.tasks == clusters.judged:
        return float(clusters.judged)
    share = clusters.correct / clusters.judged
    if clusters.tasks == 1 or share in (0.0, 1.0):
        # Without variation between tasks there is no design effect to estimate, so each task counts once.
        return float(clusters.tasks)
    residuals = (
        clusters.correct_squared
        - 2 * share * clusters.correct_times_judged
        + share * share * clusters.judged_squared
    )
    variance = residuals / clusters.judged**2 * clusters.tasks / (clusters.tasks - 1)
    binomial = share * (1 - share) / clusters.judged
    return clusters.judged / max(1.0, variance / binomial)


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean with its 95% interval. A single task has no interval, since it says nothing about others."""

    mean: float
    low: float | None
    high: float | None
    episodes: int
    tasks: int


def clustered_mean(sums: Sequence[tuple[int, float]]) -> Mean | None:
    """Return the mean over episodes from each task's count and sum, or None if there are no episodes.

    Episodes of one task are not independent: the variance is that of the ratio estimator over tasks,
    T/(T-1) * sum((S_t - mean * n_t)^2) / n^2 (Cochran, Sampling Techniques, 1977, chapter 6), with Student's
    t of T - 1 degrees of freedom.
    """
    counted = [(count, total) for count, total in sums if count]
    episodes, tasks = sum(count for count, _ in counted), len(counted)
    if not episodes:
        return None
    mean = math.fsum(total for _, total in counted) / episodes
    if tasks == 1:
        return Mean(mean=mean, low=None, high=None, episodes=episodes, tasks=tasks)
    residuals = math.fsum((total - mean * count) ** 2 for count, total in counted)
    half = t_95(tasks - 1) * math.sqrt(tasks / (tasks - 1) * residuals) / episodes
    return Mean(mean=mean, low=mean - half, high=mean + half, episodes=episodes, tasks=tasks)


def t_95(degrees: int) -> float:
    """Return the 97.5% point of Student's t.

    For one and two degrees of freedom it is exact. From three on it is an expansion around the normal
    quantile (Abramowitz and Stegun 26.7.5), accurate to 0.5%.
    """
    if degrees == 1:
        return math.tan(math.pi * (0.975 - 0.5))
    if degrees == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z, n = Z_95, degrees
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4


def wilson(*, share: float, n: float, comparisons: int = 1) -> tuple[float, float]:
    """Compute the Wilson score interval (Wilson 1927) of a share of ``n`` samples, at 95%; (0, 1) for none.

    With several ``comparisons`` each interval is wider, so that all hold jointly at 95% (Bonferroni).
    """
    z = Z_95 if comparisons <= 1 else NormalDist().inv_cdf(1 - TAIL / comparisons)
    return score_interval(share=share, n=n, z=z)


def score_interval(*, share: float, n: float, z: float) -> tuple[float, float]:
    """Compute Wilson's interval of ``z`` standard errors to either side; (0, 1) if there is no sample."""
    if not n:
        return 0.0, 1.0
    scale = 1 + z**2 / n
    middle = (share + z**2 / (2 * n)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / n + z**2 / (4 * n * n))
    return widen_to_include(share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def widen_to_include(estimate: float, *, low: float, high: float) -> tuple[float, float]:
    """Return the interval, widened to include its estimate if rounding left that just outside."""
    return min(low, estimate), max(high, estimate)
