"""Differences between two arms' changes by training, where a change is after minus before, paired by item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.accuracy import FEW_ITEMS, weights
from trajectories.reports.estimators.answers import Codes, Estimate, Floats
from trajectories.reports.estimators.clusters import spread_of
from trajectories.reports.estimators.gaps import DIFFERENT_MIN, Pair, pair_of, with_interval

NO_SHARED = "no item has judged answers in both arms, before and after"
NO_DIFFERENCE = "the gap changes by the same amount on every item, so there is no variance to estimate from"
FEW_DIFFERENT = f"fewer than {DIFFERENT_MIN} items change differently in the two arms"


def double_difference(first: Pair, second: Pair, *, alpha: float = 0.05) -> Estimate:
    """Estimate the change of ``first`` minus the change of ``second``, on the items that all four sides have.

    The interval is over items and looks. In each pair, ``a`` is after training and ``b`` before.
    """
    items = np.intersect1d(first.items, second.items)
    pairs = [pair_of(pair.a.of_items(items), pair.b.of_items(items)) for pair in (first, second)]
    if not len(items) or pairs[0] is None or pairs[1] is None:
        return Estimate(reason=NO_SHARED)
    changes = pairs[0].differences - pairs[1].differences
    looks = max(pairs[0].looks, pairs[1].looks)
    value = float(changes.mean())
    base = Estimate(value=value, items=len(items), looks=looks)
    if reason := _why_silent(changes):
        return replace(base, reason=reason)
    parts = [*_contributions(pairs[0], sign=1.0), *_contributions(pairs[1], sign=-1.0)]
    spread = spread_of(parts, items=len(items))
    if spread is None:
        return replace(base, reason=NO_DIFFERENCE)
    return with_interval(base, value, spread, alpha=alpha, bound=2.0)


def _contributions(pair: Pair, *, sign: float) -> Iterator[tuple[Codes, Codes, Floats]]:
    """Yield the samples' items, looks and contributions to the pair's difference, one side after the other.

    The part of an item's difficulty that before and after share cancels out. It is subtracted from each
    sample first, so that it is not mistaken for an effect of looks.
    """
    common = (pair.mean_a - pair.mean_a.mean() + pair.mean_b - pair.mean_b.mean()) / 2
    for answers, mean, side in ((pair.a, pair.mean_a, sign), (pair.b, pair.mean_b, -sign)):
        places = np.searchsorted(pair.items, answers.item)
        offset = answers.correct - mean.mean() - common[places]
        yield answers.item, answers.look, side * weights(answers) * offset


def _why_silent(changes: Floats) -> str:
    if len(changes) < ITEMS_MIN:
        return FEW_ITEMS
    if np.allclose(changes, changes[0]):
        return NO_DIFFERENCE
    return FEW_DIFFERENT if np.count_nonzero(changes) < DIFFERENT_MIN else ""
