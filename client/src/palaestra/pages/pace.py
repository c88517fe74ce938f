"""Time limits for pages to settle, derived from the time that they usually take on this machine."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass

PAGES_REMEMBERED = 64
USUAL_TIMES = 10
"""Factor by which a limit exceeds the usual time."""


@dataclass(frozen=True)
class Limit:
    """Bounds in seconds of a time limit for pages."""

    floor_s: float
    ceiling_s: float


# Sixteen pages that are opened at once on two idle cores take 2 s each, later ones 0.4 s.
FIRST_PAGE = Limit(20.0, 60.0)
"""Limit of a page that no action has touched: one that has not settled by then is our failure."""
LATER_PAGE = Limit(5.0, 15.0)
"""Limit of a page after an action, which may be the reason why it never settles."""


class Pace:
    """The pace of one browser: the times that first pages took from request to settled."""

    def __init__(self) -> None:
        self._taken: deque[float] = deque(maxlen=PAGES_REMEMBERED)

    def note(self, seconds: float) -> None:
        """Remember the time that a first page took, or the time waited for one that never settled."""
        self._taken.append(seconds)

    def limit_s(self, limit: Limit) -> float:
        """Return the seconds that a page may take now: the maximum, until the machine's pace is known."""
        if not self._taken:
            return limit.ceiling_s
        return min(max(USUAL_TIMES * statistics.median(self._taken), limit.floor_s), limit.ceiling_s)
