"""Means of one policy version with their errors, and means over several versions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

from scipy.special import stdtr, stdtrit


@dataclass(frozen=True)
class Sums:
    """Sums over tasks of each task's count n and total s: enough for a mean over episodes and its error."""

    tasks: int
    count: float
    total: float
    count_squared: float
    count_times_total: float
    total_squared: float


SUMS_PER_MEASURE = len(fields(Sums))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A mean over ``count`` episodes, or steps, of ``tasks`` tasks, with its variance clustered by task."""

    value: float
    variance: float
    degrees: float
    count: float
    tasks: int

    def interval(self, *, alpha: float = 0.05) -> tuple[float, float] | None:
        """Return the interval of the mean.

        It is None for a single task, and if nothing varies: an interval without width would claim certainty.
        """
        if self.degrees < 1 or self.variance <= 0:
            return None
        half = float(stdtrit(self.degrees, 1 - alpha / 2)) * math.sqrt(self.variance)
        return self.value - half, self.value + half


def figure_of(sums: Sums) -> Figure | None:
    """Return the ratio estimator over tasks (Cochran, 1977, chapter 6), or None if there are no episodes."""
    if not sums.count:
        return None
    value = sums.total / sums.count
    residuals = sums.total_squared - 2 * value * sums.count_times_total + value**2 * sums.count_squared
    factor = sums.tasks / (sums.tasks - 1) if sums.tasks > 1 else 0.0
    # Differences of nearly equal sums: what is left of a variance of 0 may be negative.
    variance = max(0.0, factor * residuals) / sums.count**2
    if variance < 1e-12 * max(value**2, 1e-12):
        variance = 0.0
    return Figure(value=value, variance=variance, degrees=sums.tasks - 1, count=sums.count, tasks=sums.tasks)


def figures_of(names: Iterable[str], sums: Sequence[float]) -> dict[str, Figure]:
    """Return the figures of measures whose sums stand in a row; those that no episode has are left out."""
    figures = {}
    for index, name in enumerate(names):
        tasks, *rest = sums[index * SUMS_PER_MEASURE : (index + 1) * SUMS_PER_MEASURE]
        if figure := figure_of(Sums(int(tasks), *rest)):
            figures[name] = figure
    return figures


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """The mean of several versions together; ``parts`` are pairs of a variance and its degrees."""

    value: float
    weights: Sequence[float]
    parts: Sequence[tuple[float, float]]


def pooled(figures: Sequence[Figure], *, is_share: bool) -> Pooled:
    """Average versions, weighted by their episodes."""
    total = sum(figure.count for figure in figures)
    weights = [figure.count / total for figure in figures]
    parts = [
        (weight**2 * _variance(figure, is_share=is_share), max(figure.degrees, 1.0))
        for weight, figure in zip(weights, figures, strict=True)
    ]
    value = sum(weight * figure.value for weight, figure in zip(weights, figures, strict=True))
    return Pooled(value=value, weights=weights, parts=parts)


def _variance(figure: Figure, *, is_share: bool) -> float:
    """Return the variance of a figure; that of a share is at least the variance with pseudo-counts.

    As many independent tries, with two of each outcome added (Agresti and Coull, 1998): no event in a hundred
    does not prove that there are none.
    """
    if not is_share:
        return figure.variance
    share = (figure.value * figure.count + 2) / (figure.count + 4)
    return max(figure.variance, share * (1 - share) / (figure.count + 4))


def jitter(figures: Sequence[Figure]) -> tuple[float, float]:
    """Estimate the variance of versions beyond sampling error, with its degrees of freedom, from neighbours.

    Neighbours differ by twice the jitter and both sampling variances; a trend hardly shows in them.
    """
    return jitters(figures)[-1]


def jitters(figures: Sequence[Figure]) -> list[tuple[float, float]]:
    """Return the jitter of each beginning of the series, by its number of versions."""
    excess, known = 0.0, [(0.0, 1.0), (0.0, 1.0)][: len(figures) + 1]
    for count, (a, b) in enumerate(pairwise(figures), 1):
        excess += (b.value - a.value) ** 2 - a.variance - b.variance
        # Neighbouring differences share a version, and so are worth two thirds of independent ones.
        known.append((max(0.0, excess / (2 * count)), max(1.0, 2 * count / 3)))
    return known


def change_p(reference: Pooled, present: Pooled, *, noise: tuple[float, float], is_rise: bool) -> float:
    """Test the hypothesis of no change: one-sided, Welch's t, with the jitter of versions."""
    variance, degrees = noise
    spread = sum(weight**2 for weight in (*reference.weights, *present.weights))
    parts = [*reference.parts, *present.parts, (spread * variance, degrees)]
    total = sum(part for part, _ in parts)
    change = present.value - reference.value if is_rise else reference.value - present.value
    if total <= 0:
        return 0.0 if change > 0 else 1.0
    freedom = total**2 / sum(part**2 / degrees for part, degrees in parts if part)
    return float(stdtr(freedom, -change / math.sqrt(total)))
