"""Ratios in which episodes count unequally often, such as calls with a result among all calls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.accuracy import FEW_ITEMS, THESE_LOOKS, share_interval, spread_interval
from trajectories.reports.estimators.answers import Codes, Estimate, Floats
from trajectories.reports.estimators.clusters import spread_of

NOTHING = "there is nothing to share"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """One entry per episode: its item, its look, and what it adds to both sides of the rate. ``counted`` is
    between 0 and ``among``."""

    item: Codes
    look: Codes
    counted: Floats
    among: Floats


def ratio(parts: Parts, *, alpha: float = 0.05) -> Estimate:
    """Estimate the total counted over the total ``among``, with its interval over items and looks.

    The variance is the ratio estimator's (Cochran, Sampling Techniques, 1977, chapter 6), clustered in two
    ways, and the interval a score interval on the effective sample size. Where nothing varies between items,
    an item counts once, by Wilson: no rate between 0 and 1 has a greater variance than a share.
    """
    mask = parts.among > 0
    item, look = parts.item[mask], parts.look[mask]
    counted, among = parts.counted[mask], parts.among[mask]
    if not len(item):
        return Estimate(reason=NOTHING)
    value, items = float(counted.sum() / among.sum()), len(np.unique(item))
    looks = int(np.count_nonzero(np.bincount(look[look >= 0])))
    base = Estimate(value=value, items=items, looks=looks)
    if items < ITEMS_MIN:
        return replace(base, reason=FEW_ITEMS)
    spread = spread_of([(item, look, (counted - value * among) / among.sum())], items=items)
    if spread is None or value in (0.0, 1.0):
        low, high = share_interval(value, items=items, alpha=alpha)
        return replace(base, low=low, high=high)
    low, high = spread_interval(value, spread, alpha=alpha)
    reason = THESE_LOOKS if spread.is_these_looks else ""
    return replace(base, low=low, high=high, error=spread.error, degrees=spread.degrees, reason=reason)
