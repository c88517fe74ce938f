"""Statistics of scores against labels, with intervals clustered by item.

An interval is Student's t interval on the logit scale. Its variance is the variance between items of their
influence on the value (Obuchowski 1997, doi 10.2307/2533958, for the area under the curve).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from core.statistics import wilson
from trajectories.rewards.learned.features import Floats
from trajectories.rewards.learned.types import CalibrationBin, Estimate

Labels = NDArray[np.bool_]
Items = NDArray[np.int64]

TAIL = 0.975
# An interval over fewer items would be meaningless.
ITEMS_MIN = 10
BINS = 10
DIGITS = 6


def rounded(value: float | np.floating[Any]) -> float:
    """Round to few enough digits that all processors agree, and never to -0, which Postgres cannot store."""
    return round(float(value), DIGITS) + 0.0


def auroc_of(scores: Floats, labels: Labels, items: Items) -> Estimate:
    """Return the probability that a success scores higher than a failure; ties count half."""
    right, wrong = scores[labels], scores[~labels]
    if not (len(right) and len(wrong)):
        return Estimate()
    above = _shares_below(right, wrong)
    below = 1 - _shares_below(wrong, right)
    value = float(above.mean())
    influence = np.empty_like(scores)
    influence[labels] = (above - value) / len(right)
    influence[~labels] = (below - value) / len(wrong)
    smaller = min(len(np.unique(items[labels])), len(np.unique(items[~labels])))
    return _estimate(value, _by_item(influence, items), count=smaller)


def auroc_within(scores: Floats, labels: Labels, items: Items) -> Estimate:
    """Return the AUROC among attempts at the same item, since that is how a group's samples are ranked."""
    wins, pairs = [], []
    for item in np.unique(items):
        own = items == item
        right, wrong = scores[own & labels], scores[own & ~labels]
        if len(right) and len(wrong):
            wins.append(float(_shares_below(right, wrong).sum()) * len(wrong))
            pairs.append(float(len(right) * len(wrong)))
    if not pairs:
        return Estimate()
    value = sum(wins) / sum(pairs)
    influence = (np.array(wins) - value * np.array(pairs)) / sum(pairs)
    return _estimate(value, influence, count=len(pairs))


def calibration_error(scores: Floats, labels: Labels) -> float:
    """Return the mean difference between score and share of successes over the tenths by score."""
    gaps = [abs(scores[part].mean() - labels[part].mean()) * len(part) for part in _tenths(scores)]
    return rounded(sum(gaps) / len(scores))


def measure_calibration(scores: Floats, labels: Labels) -> list[CalibrationBin]:
    """Return each tenth's mean score and share of successes, lowest scores first."""
    return [
        CalibrationBin(
            episodes=len(part), score=rounded(scores[part].mean()), share=rounded(labels[part].mean())
        )
        for part in _tenths(scores)
    ]


def _tenths(scores: Floats) -> list[Items]:
    """Return the indexes of the episodes in each tenth by score, without empty tenths."""
    return [part for part in np.array_split(np.argsort(scores, kind="stable"), BINS) if len(part)]


def brier_score(scores: Floats, labels: Labels) -> float:
    return rounded(np.mean((scores - labels) ** 2))


def _shares_below(scores: Floats, others: Floats) -> Floats:
    """Return the share of ``others`` below each score; ties count half."""
    ordered = np.sort(others)
    sides = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return sides / (2.0 * len(others))


def _by_item(influence: Floats, items: Items) -> Floats:
    _, codes = np.unique(items, return_inverse=True)
    return np.asarray(np.bincount(codes, influence), dtype=np.float64)


def _estimate(value: float, influence: Floats, *, count: int) -> Estimate:
    """Return the value with its interval; there is no interval if ``count`` items are too few."""
    if count < ITEMS_MIN:
        return Estimate(value=rounded(value))
    if value in (0.0, 1.0):
        low, high = wilson(share=value, n=count)
        return Estimate(value=value, low=rounded(low), high=rounded(high))
    n = len(influence)
    error = np.sqrt(n / (n - 1) * np.square(influence).sum()) / (value * (1 - value))
    half = special.stdtrit(count - 1, TAIL) * error
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return Estimate(value=rounded(value), low=rounded(low), high=rounded(high))
