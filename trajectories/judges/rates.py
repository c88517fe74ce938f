"""Judges' error rates, and true rates estimated from their grades, as pure functions of grades.

All intervals are at 95%. Rates have Wilson's interval (1927) at the effective sample size; rates corrected by
the method of Rogan and Gladen (1978) have the interval of Lang and Reiczigel (2014, Preventive Veterinary
Medicine 113, 13-22).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.statistics import Z_95, wilson

LEAST = 0.80
"""The minimum for the lower bounds of both rates of a certified criterion."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A share with its interval; ``value`` is None if there are no units.

    ``size`` is the effective sample size: that of a simple random sample with the same information.
    """

    value: float | None
    low: float = 0.0
    high: float = 1.0
    units: int = 0
    size: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Pair:
    """People's and the judge's verdicts on a criterion for one unit, which represents ``weight`` units.

    Units in the same ``cluster`` are not independent.
    """

    people: bool
    judge: bool
    weight: float = 1.0
    cluster: Hashable = None


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A judge's sensitivity and specificity against people's labels.

    Of the units that meet the criterion according to people, ``true_positive`` is the share that the judge
    grades as met; of the others, ``true_negative`` is the share that it grades as not met.
    """

    true_positive: Rate
    true_negative: Rate

    @property
    def is_certified(self) -> bool:
        return min(self.true_positive.low, self.true_negative.low) >= LEAST


def measurement_of(pairs: Sequence[Pair]) -> Measurement:
    """Measure a judge's true positive and true negative rates."""
    positive, negative = ([pair for pair in pairs if pair.people is is_met] for is_met in (True, False))
    return Measurement(true_positive=_agreement(positive), true_negative=_agreement(negative))


def _agreement(pairs: Sequence[Pair]) -> Rate:
    return rate_of(
        [pair.judge is pair.people for pair in pairs],
        weights=[pair.weight for pair in pairs],
        clusters=[pair.cluster for pair in pairs],
    )


def rate_of(hits: Sequence[bool], *, weights: Sequence[float], clusters: Sequence[Hashable]) -> Rate:
    """Return a weighted share with its interval.

    The effective sample size is Kish's or, if smaller, the one implied by the variance between clusters (by
    linearisation); if all or none are hits, it is Kish's. A unit whose cluster is None forms its own cluster.
    """
    if not hits:
        return Rate(value=None)
    hit, weight = np.asarray(hits, dtype=float), np.asarray(weights, dtype=float)
    share = float(hit @ weight / weight.sum())
    size = float(weight.sum() ** 2 / (weight @ weight))
    if 0.0 < share < 1.0:
        size = min(size, share * (1 - share) / _variance(hit - share, weight, clusters))
    low, high = wilson(share=share, n=size)
    return Rate(value=share, low=low, high=high, units=len(hits), size=size)


def _variance(residuals: np.ndarray, weight: np.ndarray, clusters: Sequence[Hashable]) -> float:
    names = [place if name is None else ("cluster", name) for place, name in enumerate(clusters)]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    sums = np.zeros(len(places))
    np.add.at(sums, [places[name] for name in names], residuals * weight)
    count = len(places)
    return float(sums @ sums / weight.sum() ** 2 * count / max(count - 1, 1)) or np.inf


def corrected(observed: Rate, measured: Measurement) -> Rate | None:
    """Estimate the true share that meets the criterion from the share that the judge grades as met.

    Returns None if the judge has not been measured or is no better than chance.
    """
    first, second = measured.true_positive, measured.true_negative
    if observed.value is None or first.value is None or second.value is None:
        return None
    if first.value + second.value <= 1:
        return None
    value = (observed.value + second.value - 1) / (first.value + second.value - 1)
    low, high = _interval(observed, first, second)
    value = min(max(value, 0.0), 1.0)
    return Rate(
        value=value, low=min(low, value), high=max(high, value), units=observed.units, size=observed.size
    )


def _interval(observed: Rate, first: Rate, second: Rate) -> tuple[float, float]:
    """Return Lang and Reiczigel's interval: Wald's on adjusted counts, shifted for skewed error rates."""
    square = Z_95**2
    seen = ((observed.value or 0.0) * observed.size + square / 2) / (observed.size + square)
    right = [((one.value or 0.0) * one.size + 1) / (one.size + 2) for one in (first, second)]
    slope = sum(right) - 1
    share = (seen + right[1] - 1) / slope
    errors = [value * (1 - value) / (one.size + 2) for value, one in zip(right, (first, second), strict=True)]
    middle = share + 2 * square * (share * errors[0] - (1 - share) * errors[1])
    variance = seen * (1 - seen) / (observed.size + square)
    variance += share**2 * errors[0] + (1 - share) ** 2 * errors[1]
    half = Z_95 * variance**0.5 / abs(slope)
    return min(max(middle - half, 0.0), 1.0), min(max(middle + half, 0.0), 1.0)
