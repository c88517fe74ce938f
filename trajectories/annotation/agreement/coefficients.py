"""Coefficients of agreement between any number of annotators, with intervals; labels may be missing.

The coefficients are Krippendorff's alpha (Krippendorff 2011, Computing Krippendorff's alpha-reliability),
Gwet's AC1 (Gwet 2008, doi 10.1348/000711006X126600) and positive agreement (Cicchetti and Feinstein 1990),
extended to any number of annotators. Sets are compared by the MASI distance (Passonneau 2006, LREC).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.statistics import widen_to_include

Floats = NDArray[np.float64]
RESAMPLES = 2_000
# To limit memory, resamples are multiplied a hundred at a time, and the draws (two bytes each) are cached
# only up to this number of clusters.
DRAWS_AT_ONCE = 100
CACHED_CLUSTERS = 20_000
COVERAGE = 0.95
SEED = 17


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its interval; each is None if it is undefined or cannot be computed."""

    value: float | None
    low: float | None = None
    high: float | None = None


def estimate_cells(estimate: Estimate | None) -> list[Any]:
    """Return the value and its interval as table cells."""
    return [estimate.value, estimate.low, estimate.high] if estimate else ["", "", ""]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """The labels of all units, as counts.

    ``counts`` holds how many annotators gave each unit (row) each value (column), ``distances`` is the
    distance between every two values, and ``clusters`` gives each unit's group for resampling.
    """

    counts: Floats
    distances: Floats
    clusters: Sequence[Hashable]

    @cached_property
    def _labels(self) -> Floats:
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @cached_property
    def pairs(self) -> int:
        """Number of units with at least two labels; the others carry no information about agreement."""
        return int(np.count_nonzero(self._labels >= 2))

    @cached_property
    def parts(self) -> Floats:
        """Each unit's contribution to the sums from which all coefficients are computed."""
        m, counts = self._labels, self.counts
        paired = m >= 2
        apart = np.where(paired, np.einsum("uv,vw,uw->u", counts, self.distances, counts), 0.0)
        same = np.where(paired, (counts * (counts - 1)).sum(axis=1), 0.0)
        others = np.where(paired, m - 1, 1.0)
        columns = [
            paired.astype(np.float64),
            same / np.where(paired, m * others, 1.0),
            apart / others,
            (m > 0).astype(np.float64),
        ]
        of_paired = np.where(paired[:, None], counts, 0.0)
        shares = counts / np.where(m > 0, m, 1.0)[:, None]
        positive = np.where(paired[:, None], counts * (counts - 1), 0.0) / others[:, None]
        return np.column_stack([*columns, of_paired, shares, positive])

    @cached_property
    def _of_clusters(self) -> Floats:
        return _by_cluster(self.parts, self.clusters)

    @cached_property
    def _resamples(self) -> Floats:
        return _resampled(self._of_clusters)

    def estimate(self, coefficient: Callable[[Sums], Floats]) -> Estimate:
        """Estimate a coefficient, with an interval from resampling whole clusters with replacement."""
        values = self.counts.shape[1]
        return _estimate(self._of_clusters, self._resamples, lambda rows: coefficient(Sums(rows, values)))


def mean(values: Sequence[float], *, clusters: Sequence[Hashable]) -> Estimate:
    """Estimate the mean over units, with an interval from resampling whole clusters with replacement."""
    parts = np.column_stack([np.asarray(values, dtype=np.float64), np.ones(len(values))])
    sums = _by_cluster(parts, clusters)
    return _estimate(sums, _resampled(sums), lambda rows: ratio(rows[:, 0], rows[:, 1]))


def _by_cluster(parts: Floats, clusters: Sequence[Hashable]) -> Floats:
    names = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, [names[name] for name in clusters], parts)
    return sums


def _resampled(sums: Floats) -> Floats:
    """Compute the sums of each resample from the clusters' sums."""
    draws = _draws(len(sums)) if len(sums) <= CACHED_CLUSTERS else _draws.__wrapped__(len(sums))
    parts = [draws[first : first + DRAWS_AT_ONCE] for first in range(0, RESAMPLES, DRAWS_AT_ONCE)]
    return np.concatenate([part.astype(np.float64) @ sums for part in parts])


@lru_cache(maxsize=1)
def _draws(clusters: int) -> NDArray[np.uint16]:
    """Draw how often each cluster occurs in each resample.

    One draw is cached, since all figures on a page have the same clusters.
    """
    rng, shares = np.random.default_rng(SEED), np.full(clusters, 1 / clusters)
    parts = [
        rng.multinomial(clusters, shares, size=DRAWS_AT_ONCE).astype(np.uint16)
        for _ in range(0, RESAMPLES, DRAWS_AT_ONCE)
    ]
    return np.concatenate(parts)


def _estimate(sums: Floats, resamples: Floats, coefficient: Callable[[Floats], Floats]) -> Estimate:
    value = float(coefficient(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Estimate(value=None)
    if len(sums) < 2:
        return Estimate(value=value)
    resampled = coefficient(resamples)
    resampled = resampled[np.isfinite(resampled)]
    if len(resampled) < RESAMPLES * COVERAGE:
        return Estimate(value=value)  # The coefficient is undefined in too many resamples for an interval.
    ends = np.quantile(resampled, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    low, high = widen_to_include(value, low=float(ends[0]), high=float(ends[1]))
    return Estimate(value=value, low=low, high=high)


@dataclass(frozen=True)
class Sums:
    """The columns of ``Ratings.parts``, summed over units; one row for each sample."""

    rows: Floats
    values: int

    @property
    def units(self) -> Floats:
        return self.rows[:, 0]

    @property
    def agreeing(self) -> Floats:
        return self.rows[:, 1]

    @property
    def apart(self) -> Floats:
        return self.rows[:, 2]

    @property
    def rated(self) -> Floats:
        return self.rows[:, 3]

    def _block(self, number: int) -> Floats:
        return self.rows[:, 4 + number * self.values : 4 + (number + 1) * self.values]

    @property
    def counts(self) -> Floats:
        return self._block(0)

    @property
    def shares(self) -> Floats:
        return self._block(1)

    @property
    def positive(self) -> Floats:
        return self._block(2)


def raw_agreement(sums: Sums) -> Floats:
    """Return the share of label pairs on the same unit that agree, averaged over units."""
    return ratio(sums.agreeing, sums.units)


def alpha(distances: Floats) -> Callable[[Sums], Floats]:
    """Return a function that computes Krippendorff's alpha; it is NaN if all labels are the same."""

    def coefficient(sums: Sums) -> Floats:
        total = sums.counts.sum(axis=1)
        observed = ratio(sums.apart, total)
        expected = ratio(np.einsum("sv,vw,sw->s", sums.counts, distances, sums.counts), total * (total - 1))
        return 1 - ratio(observed, expected)

    return coefficient


def ac1(sums: Sums) -> Floats:
    """Return Gwet's AC1. Units with a single label count only towards the values' frequencies."""
    frequency = ratio(sums.shares, sums.rated[:, None])
    expected = (frequency * (1 - frequency)).sum(axis=1) / max(sums.values - 1, 1)
    return ratio(raw_agreement(sums) - expected, 1 - expected)


def positive_agreement(sums: Sums) -> Floats:
    """Return how often, when one person gave the second of two values, the others gave it too."""
    return ratio(sums.positive[:, 1], sums.counts[:, 1])


def prevalence(sums: Sums) -> Floats:
    """Return the share of labels with the second of two values, each unit counted once."""
    return ratio(sums.shares[:, 1], sums.rated)


def nominal_distances(values: int) -> Floats:
    return np.ones((values, values)) - np.eye(values)


def masi_distances(sets: Sequence[frozenset[str]]) -> Floats:
    """Return the MASI distance between every two sets; two empty sets are equal (NLTK divides by zero)."""
    return np.array([[masi_distance(one, other) for other in sets] for one in sets]).reshape(
        len(sets), len(sets)
    )


def masi_distance(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the MASI distance: 0 for equal sets, 1 for disjoint ones; a subset is closer than an overlap."""
    if one == other:
        return 0.0
    both = one & other
    if not both:
        return 1.0
    kinship = 2 / 3 if both in (one, other) else 1 / 3
    return 1 - len(both) / len(one | other) * kinship


def ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan), dtype=np.float64)
