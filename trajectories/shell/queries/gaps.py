"""Step numbers of an episode that were never recorded: each stretch of them has one place in the timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from core.sql import Statement

T = TypeVar("T")
# The longest ones; the numbers of any others have a place each.
GAPS_MAX = 1_000
_GAPS = Statement(__file__, "step_gaps")


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A stretch of step numbers that were never recorded, both ends included."""

    first: int
    last: int

    @property
    def number(self) -> int:
        return self.last - self.first + 1


class Gaps:
    """The gaps of an episode, in order."""

    def __init__(self, gaps: list[Gap]) -> None:
        self._by_first = {gap.first: gap for gap in gaps}
        self._by_last = {gap.last: gap for gap in gaps}

    def __str__(self) -> str:
        """As scripts read it: ``4-9999 10002-10002``."""
        return " ".join(f"{gap.first}-{gap.last}" for gap in self._by_first.values())

    def around(self, index: int, *, reach: int, last: int) -> tuple[int, int]:
        """The first and last step number within ``reach`` places of a step."""
        low = high = index
        for _ in range(reach):
            if low > 1:
                low = self._by_last[low - 1].first if low - 1 in self._by_last else low - 1
            if high < last:
                high = self._by_first[high + 1].last if high + 1 in self._by_first else high + 1
        return low, high


def step_gaps(*, episode_id: int, last: int, number: int) -> Gaps:
    """The gaps of an episode with ``number`` steps up to ``last``; most have none and need no query."""
    if last == number:
        return Gaps([])
    rows = _GAPS.rows(episode=episode_id, last=last, most=GAPS_MAX)
    return Gaps([Gap(first=first, last=end) for first, end in sorted(rows)])


def with_gaps(
    steps: Iterable[T], *, first: int, last: int | None, index: Callable[[T], int]
) -> Iterator[T | Gap]:
    """The steps of a stretch, with a gap wherever numbers are missing, up to ``last`` if one is given."""
    expected = first
    for step in steps:
        if index(step) > expected:
            yield Gap(first=expected, last=index(step) - 1)
        yield step
        expected = index(step) + 1
    if last is not None and expected <= last:
        yield Gap(first=expected, last=last)
