"""Time limits for pages to settle, derived from the time that pages usually take on this machine."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass

PAGES_REMEMBERED = 64
USUAL_TIMES = 10
"""The factor by which a limit exceeds the usual time."""


@dataclass(frozen=True)
class Limit:
    """The minimum and maximum, in seconds, of a time limit for pages."""

    floor_s: float
    ceiling_s: float


# If sixteen pages are opened simultaneously on two idle cores, each takes 2 s; later pages take 0.4 s.
FIRST_PAGE = Limit(20.0, 60.0)
"""The limit for a page that no action has touched. If it has not settled by then, the harness has failed."""
LATER_PAGE = Limit(5.0, 15.0)
"""The limit for a page after an action, which may be the reason why the page never settles."""


class Pace:
    """The pace of one browser: how long first pages took from the request until they had settled."""

    def __init__(self) -> None:
        self._taken: deque[float] = deque(maxlen=PAGES_REMEMBERED)

    def note(self, seconds: float) -> None:
        """Note how long a first page took, or how long was waited for a page that never settled."""
        self._taken.append(seconds)

    def limit_s(self, limit: Limit) -> float:
        """Return the seconds that a page may take: the maximum, until this machine's pace is known."""
        if not self._taken:
            return limit.ceiling_s
        return min(max(USUAL_TIMES * statistics.median(self._taken), limit.floor_s), limit.ceiling_s)
