"""The judged answers of one arm, and the common form of estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

NO_LOOK = -1


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The judged answers of an arm, as arrays with an entry per judged episode.

    ``item`` and ``look`` are codes, which are the same in all arms of a benchmark; ``look`` is ``NO_LOOK``
    without a page. ``correct`` is 1 if the answer is correct, else 0, or a score in between.
    """

    item: Codes
    look: Codes
    correct: Floats

    @property
    def samples(self) -> Codes:
        """The number of samples of each item that has samples, in the order of ``items``."""
        counts = np.bincount(self.item)
        return counts[counts > 0]

    @property
    def items(self) -> Codes:
        return np.flatnonzero(np.bincount(self.item))

    def of_items(self, items: Codes) -> Answers:
        """Return only the answers to these items."""
        return self.where(np.isin(self.item, items))

    def where(self, mask: NDArray[np.bool_]) -> Answers:
        return replace(self, item=self.item[mask], look=self.look[mask], correct=self.correct[mask])


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimate with its interval and p-value.

    Values are shares. If one is missing, ``reason`` states why; otherwise it may state how to read them.
    ``error`` is the standard error with ``degrees`` of freedom.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    error: float | None = None
    degrees: float | None = None
    items: int = 0
    looks: int = 0
    reason: str = ""

    @property
    def has_interval(self) -> bool:
        return self.low is not None


def item_means(answers: Answers, items: Codes) -> Floats:
    """Return the mean of each item's samples, in the order of ``items``, all of which must have samples."""
    places = np.searchsorted(items, answers.item)
    sums = np.bincount(places, weights=answers.correct, minlength=len(items))
    return np.asarray(sums / np.bincount(places, minlength=len(items)), dtype=np.float64)
