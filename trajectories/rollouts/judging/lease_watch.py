"""Distinguishes abandoned episodes from a lab that slept, was cut off, stood still or had its clock set."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
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


# Looks that come later than this many of their intervals: the machine slept, or this process did.
LATE = 3
# How long no episode at all may show life before that means that all were abandoned.
QUIET_MAX_S = 1800.0


Sign = Hashable
"""Sign of life of an open episode: any value that changes with activity, None if it was never used."""


@dataclass
class _Seen:
    life: Sign
    silent_s: float = 0.0


class LeaseWatch:
    """Looks at all open episodes every ``every_s`` seconds, and voids only on what these looks have seen.

    A lease is lost once an episode has shown no sign of life for ``lease_s``, and then for ``grace_s`` more.
    The time is what passed between looks on the caller's monotonic clock: a wall clock that jumps changes
    nothing. It counts from zero again for all after a look that came late, and after a time in which no
    episode showed any life for a whole lease: nobody could reach the lab. Never used episodes expire after
    ``unused_s`` of such time, which ``opened`` counts over restarts.
    """

    def __init__(
        self, *, every_s: float, lease_s: float, grace_s: float, unused_s: float, opened: WatchTime
    ) -> None:
        self._opened = opened
        self._every_s, self._lease_s, self._lost_s = every_s, lease_s, lease_s + grace_s
        self._unused_s = unused_s
        self._seen: dict[int, _Seen] = {}
        self._looked_at: float | None = None
        self._quiet_s = 0.0

    def look(self, signs: Mapping[int, Sign], *, now: float) -> dict[int, str]:
        """Take the signs of life of every open episode; return those to void now, with the end reason."""
        passed_s = self._passed_s(now)
        self._opened.go_on(passed_s, newest=max(signs, default=0))
        if self._has_quiet_ended(signs, passed_s):
            self.restart()
            passed_s = 0.0
        self._seen = {episode: self._seen_next(episode, sign, passed_s) for episode, sign in signs.items()}
        if self._lease_s <= self._quiet_s < self._lease_s + QUIET_MAX_S:
            return {}
        due = {
            episode: reason for episode, seen in self._seen.items() if (reason := self._reason(episode, seen))
        }
        for episode in due:
            del self._seen[episode]
        return due

    def restart(self) -> None:
        """Restart all counts of silence: signs of life may have been missed for a while."""
        for seen in self._seen.values():
            seen.silent_s = 0.0
        self._quiet_s = 0.0

    def _passed_s(self, now: float) -> float:
        before, self._looked_at = self._looked_at, now
        passed_s = 0.0 if before is None else now - before
        if passed_s <= LATE * self._every_s:
            return passed_s
        self.restart()
        return 0.0

    def _has_quiet_ended(self, signs: Mapping[int, Sign], passed_s: float) -> bool:
        """Note how long nothing has changed; whether this is the first change after a whole lease."""
        is_same = self._seen.keys() == signs.keys() and all(
            self._seen[episode].life == sign for episode, sign in signs.items()
        )
        quiet_s, self._quiet_s = self._quiet_s, self._quiet_s + passed_s if is_same else 0.0
        return not is_same and quiet_s >= self._lease_s

    def _seen_next(self, episode: int, sign: Sign, passed_s: float) -> _Seen:
        seen = self._seen.get(episode)
        if seen is None:
            return _Seen(sign)
        seen.silent_s = seen.silent_s + passed_s if seen.life == sign else 0.0
        seen.life = sign
        return seen

    def _reason(self, episode: int, seen: _Seen) -> str | None:
        if seen.silent_s < self._lost_s:
            return None
        if seen.life is not None:
            return "lease_lost"
        return "expired_unused" if self._opened.age_s(episode) > self._unused_s else None
