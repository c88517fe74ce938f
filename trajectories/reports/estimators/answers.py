"""Judged answers of one arm, and the form of every estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

NO_LOOK = -1


@dataclass(frozen=True, kw_only=True)
class Answers:
    """One entry per judged episode: the item's code, the look's (``NO_LOOK`` without a page), 1 if correct.

    Codes are the same in all arms of a benchmark.
    """

    item: Codes
    look: Codes
    correct: Floats

    @property
    def samples(self) -> Codes:
        """Number of samples of each item that has any."""
        counts = np.bincount(self.item)
        return counts[counts > 0]

    @property
    def items(self) -> Codes:
        return np.flatnonzero(np.bincount(self.item))

    def of_items(self, items: Codes) -> Answers:
        """Return the answers to these items alone."""
        return self.where(np.isin(self.item, items))

    def where(self, mask: NDArray[np.bool_]) -> Answers:
        return replace(self, item=self.item[mask], look=self.look[mask], correct=self.correct[mask])


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Values are shares; ``reason`` says why one is None, or how it may be read.

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
    """Return the mean over each item's samples, in the order of ``items``, each of which has some."""
    places = np.searchsorted(items, answers.item)
    sums = np.bincount(places, weights=answers.correct, minlength=len(items))
    return np.asarray(sums / np.bincount(places, minlength=len(items)), dtype=np.float64)
