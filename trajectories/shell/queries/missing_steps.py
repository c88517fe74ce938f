"""Step numbers of an episode that were never recorded: each range of them is one cell of the timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from core.sql import Statement

T = TypeVar("T")
# The longest ranges are listed; each number in any others is a cell by itself.
RANGES_MAX = 1_000
_RANGES = Statement(__file__, "missing_steps")


@dataclass(frozen=True, kw_only=True)
class MissingRange:
    """A range of step numbers that were never recorded, both ends included."""

    first: int
    last: int

    @property
    def number(self) -> int:
        return self.last - self.first + 1


class MissingSteps:
    """All step numbers of an episode that were never recorded, as ranges in order."""

    def __init__(self, ranges: list[MissingRange]) -> None:
        self._by_first = {missing.first: missing for missing in ranges}
        self._by_last = {missing.last: missing for missing in ranges}

    def __str__(self) -> str:
        """Format the ranges for scripts: ``4-9999 10002-10002``."""
        return " ".join(f"{missing.first}-{missing.last}" for missing in self._by_first.values())

    def around(self, index: int, *, reach: int, last: int) -> tuple[int, int]:
        """The first and last step number within ``reach`` cells of a step."""
        low = high = index
        for _ in range(reach):
            if low > 1:
                low = self._by_last[low - 1].first if low - 1 in self._by_last else low - 1
            if high < last:
                high = self._by_first[high + 1].last if high + 1 in self._by_first else high + 1
        return low, high


def read_missing_steps(*, episode_id: int, last: int, number: int) -> MissingSteps:
    """Return what is missing among ``number`` steps up to ``last``; most episodes need no query for it."""
    if last == number:
        return MissingSteps([])
    rows = _RANGES.rows(episode=episode_id, last=last, most=RANGES_MAX)
    return MissingSteps([MissingRange(first=first, last=end) for first, end in sorted(rows)])


def insert_missing(
    steps: Iterable[T], *, first: int, last: int | None, index: Callable[[T], int]
) -> Iterator[T | MissingRange]:
    """Yield steps in order, with a range wherever numbers are missing, up to ``last`` if one is given."""
    expected = first
    for step in steps:
        if index(step) > expected:
            yield MissingRange(first=expected, last=index(step) - 1)
        yield step
        expected = index(step) + 1
    if last is not None and expected <= last:
        yield MissingRange(first=expected, last=last)
