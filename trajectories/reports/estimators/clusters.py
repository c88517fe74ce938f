"""The variance of a mean over samples that share items and looks.

It uses two-way clustering (Cameron, Gelbach and Miller, 2011): the variance between items, plus what looks
add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from trajectories.reports.estimators.answers import NO_LOOK, Codes, Floats

# With fewer looks, an interval over looks would be almost useless, so it is given for these looks alone.
LOOKS_MIN = 8
# Rounding leaves differences of this size between equal shares. Such a small error would claim certainty.
NOISE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The uncertainty of an estimate.

    ``error`` is the standard error, and ``degrees`` are Satterthwaite's degrees of freedom. ``looks`` is the
    number of looks, and ``is_these_looks`` is true if there are too few of them to generalize to other looks.
    """

    error: float
    degrees: float
    looks: int
    is_these_looks: bool

    def quantile(self, alpha: float) -> float:
        return float(special.stdtrit(self.degrees, 1 - alpha / 2))

    def p_value(self, value: float) -> float:
        return float(2 * special.stdtr(self.degrees, -abs(value) / self.error))


def spread_of(parts: Sequence[tuple[Codes, Codes, Floats]], *, items: int) -> Spread | None:
    """Return the spread of a sum over samples, or None if there is no variance.

    ``parts`` has, for each arm, the samples' items, looks and contributions, which add up to 0.
    """
    item, look, value = (np.concatenate([part[place] for part in parts]) for place in range(3))
    # The factor G / (G - 1) is the usual correction for few clusters.
    between_items = items / (items - 1) * _squares(item, value)
    if between_items <= NOISE**2:
        return None
    mask = look != NO_LOOK
    looks = int(np.count_nonzero(np.bincount(look[mask])))
    is_these_looks = 0 < looks < LOOKS_MIN
    # The variance is items + looks - cells (two-way clustering). If looks - cells is negative, looks add
    # nothing.
    by_look = added = 0.0
    if looks >= LOOKS_MIN:
        cells = item[mask] * (look.max() + 1) + look[mask]
        by_look = looks / (looks - 1) * _squares(look[mask], value[mask])
        added = max(by_look - _squares(cells, value[mask]), 0.0)
    variance = between_items + added
    # Satterthwaite (1946). As a difference, ``added`` is as uncertain as the whole variance between looks.
    degrees = variance**2 / (between_items**2 / (items - 1) + by_look**2 / max(looks - 1, 1))
    return Spread(error=float(np.sqrt(variance)), degrees=degrees, looks=looks, is_these_looks=is_these_looks)


def _squares(codes: Codes, values: Floats) -> float:
    """Return the sum of the squared sums of the clusters."""
    return float(np.square(np.bincount(codes, weights=values)).sum())
