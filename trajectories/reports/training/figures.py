"""The means of a policy version with their errors, and means over several versions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

from scipy.special import stdtr, stdtrit


@dataclass(frozen=True)
class Sums:
    """Sums over tasks of their counts and totals, which suffice for a mean over episodes and its error."""

    tasks: int
    count: float
    total: float
    count_squared: float
    count_times_total: float
    total_squared: float


SUMS_PER_MEASURE = len(fields(Sums))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A mean over ``count`` episodes or steps of ``tasks`` tasks, with its variance clustered by task."""

    value: float
    variance: float
    degrees: float
    count: float
    tasks: int

    def interval(self, *, alpha: float = 0.05) -> tuple[float, float] | None:
        """Return the interval of the mean, or None for a single task or without variance.

        An interval without width would claim certainty.
        """
        if self.degrees < 1 or self.variance <= 0:
            return None
        half = float(stdtrit(self.degrees, 1 - alpha / 2)) * math.sqrt(self.variance)
        return self.value - half, self.value + half


def figure_of(sums: Sums) -> Figure | None:
    """Estimate the mean as a ratio over tasks (Cochran, 1977, chapter 6), or return None without episodes."""
    if not sums.count:
        return None
    value = sums.total / sums.count
    residuals = sums.total_squared - 2 * value * sums.count_times_total + value**2 * sums.count_squared
    factor = sums.tasks / (sums.tasks - 1) if sums.tasks > 1 else 0.0
    # The sums are nearly equal, so rounding may turn a variance of 0 into a small negative number.
    variance = max(0.0, factor * residuals) / sums.count**2
    if variance < 1e-12 * max(value**2, 1e-12):
        variance = 0.0
    return Figure(value=value, variance=variance, degrees=sums.tasks - 1, count=sums.count, tasks=sums.tasks)


def figures_of(names: Iterable[str], sums: Sequence[float]) -> dict[str, Figure]:
    """Return the figures of the named measures from their concatenated sums.

    Measures that no episode has are left out.
    """
    figures = {}
    for index, name in enumerate(names):
        tasks, *rest = sums[index * SUMS_PER_MEASURE : (index + 1) * SUMS_PER_MEASURE]
        if figure := figure_of(Sums(int(tasks), *rest)):
            figures[name] = figure
    return figures


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """The mean over several versions; ``parts`` are pairs of a variance and its degrees of freedom."""

    value: float
    weights: Sequence[float]
    parts: Sequence[tuple[float, float]]


def pooled(figures: Sequence[Figure], *, is_share: bool) -> Pooled:
    """Return the mean over several versions, weighted by their episodes."""
    total = sum(figure.count for figure in figures)
    weights = [figure.count / total for figure in figures]
    parts = [
        (weight**2 * _variance(figure, is_share=is_share), max(figure.degrees, 1.0))
        for weight, figure in zip(weights, figures, strict=True)
    ]
    value = sum(weight * figure.value for weight, figure in zip(weights, figures, strict=True))
    return Pooled(value=value, weights=weights, parts=parts)


def _variance(figure: Figure, *, is_share: bool) -> float:
    """Return the variance of a figure, which for a share is at least the variance with pseudo-counts.

    Two tries of each outcome are added to the figure's count of independent tries (Agresti and Coull, 1998),
    because a hundred tries without an event do not prove that it never happens.
    """
    if not is_share:
        return figure.variance
    share = (figure.value * figure.count + 2) / (figure.count + 4)
    return max(figure.variance, share * (1 - share) / (figure.count + 4))


def jitter(figures: Sequence[Figure]) -> tuple[float, float]:
    """Estimate the jitter, which is the variance of versions beyond sampling error.

    Returns it with its degrees of freedom. It is estimated from neighbours, whose squared difference is, on
    average, twice the jitter plus both sampling variances. A trend hardly affects it.
    """
    return jitters(figures)[-1]


def jitters(figures: Sequence[Figure]) -> list[tuple[float, float]]:
    """Return the jitter of each beginning of the series, indexed by its number of versions."""
    excess, known = 0.0, [(0.0, 1.0), (0.0, 1.0)][: len(figures) + 1]
    for count, (a, b) in enumerate(pairwise(figures), 1):
        excess += (b.value - a.value) ** 2 - a.variance - b.variance
        # Neighbouring differences share a version, so they are worth two thirds of independent ones.
        known.append((max(0.0, excess / (2 * count)), max(1.0, 2 * count / 3)))
    return known


def change_p(reference: Pooled, present: Pooled, *, noise: tuple[float, float], is_rise: bool) -> float:
    """Return the one-sided p-value of the hypothesis of no change, by Welch's t with the versions' jitter."""
    variance, degrees = noise
    spread = sum(weight**2 for weight in (*reference.weights, *present.weights))
    parts = [*reference.parts, *present.parts, (spread * variance, degrees)]
    total = sum(part for part, _ in parts)
    change = present.value - reference.value if is_rise else reference.value - present.value
    if total <= 0:
        return 0.0 if change > 0 else 1.0
    freedom = total**2 / sum(part**2 / degrees for part, degrees in parts if part)
    return float(stdtr(freedom, -change / math.sqrt(total)))
