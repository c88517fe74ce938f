"""Ratios to which episodes contribute unequally, such as calls with a result among all calls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.accuracy import FEW_ITEMS, THESE_LOOKS, share_interval, spread_interval
from trajectories.reports.estimators.answers import Codes, Estimate, Floats
from trajectories.reports.estimators.clusters import spread_of

NOTHING = "there is nothing to count"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The episodes' contributions to a ratio, with an entry per episode.

    ``counted`` is what an episode adds to the numerator, and ``among`` what it adds to the denominator;
    ``counted`` is between 0 and ``among``.
    """

    item: Codes
    look: Codes
    counted: Floats
    among: Floats


def ratio(parts: Parts, *, alpha: float = 0.05) -> Estimate:
    """Estimate the total of ``counted`` divided by the total of ``among``.

    The interval is over items and looks. The variance is that of the ratio estimator (Cochran, Sampling
    Techniques, 1977, chapter 6), clustered in two ways, and the interval a score interval on the effective
    sample size. If there is no variation between items, each item counts once in Wilson's interval, since no
    rate between 0 and 1 varies more than a share.
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
