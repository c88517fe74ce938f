"""The time for which episodes have been open, by a clock that runs only while the sweeper looks.

A wall clock cannot be trusted with a day: one that is set forward would expire every episode at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import NamedTuple

MARKS = 48
"""Marks within ``longest_s``: an age may be too low by one part in this many, and is never too high."""


class Mark(NamedTuple):
    """Every episode up to ``newest`` had been opened when the clock showed ``watched_s``."""

    watched_s: float
    newest: int


class WatchTime:
    """Ages of up to ``longest_s``. It continues from ``marks``, not counting the time since the last one, and
    passes each new mark to ``note``, with the time of the oldest that is still needed."""

    def __init__(
        self,
        *,
        longest_s: float,
        marks: Iterable[Mark] = (),
        note: Callable[[Mark, float], object] = lambda _mark, _oldest_s: None,
    ) -> None:
        self._longest_s = longest_s
        self._marks = sorted(marks)
        self._note = note
        self._now_s = self._marks[-1].watched_s if self._marks else 0.0

    def go_on(self, passed_s: float, newest: int) -> None:
        """Count the time since the last look; ``newest`` is the highest episode that is open now."""
        self._now_s += passed_s
        last = self._marks[-1] if self._marks else None
        if last is not None and self._now_s - last.watched_s < self._longest_s / MARKS:
            return
        mark = Mark(self._now_s, max(newest, last.newest if last else 0))
        self._marks.append(mark)
        while len(self._marks) > 1 and self._now_s - self._marks[1].watched_s > self._longest_s:
            del self._marks[0]
        self._note(mark, self._marks[0].watched_s)

    def age_s(self, episode: int) -> float:
        """Return the seconds for which an episode has been open at least."""
        place = bisect_left(self._marks, episode, key=lambda mark: mark.newest)
        return self._now_s - self._marks[place].watched_s if place < len(self._marks) else 0.0
