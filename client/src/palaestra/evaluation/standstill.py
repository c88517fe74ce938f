"""Detection of a report that no worker computes, with advice for the user."""

from __future__ import annotations

import time
from collections.abc import Callable

from palaestra.errors import PalaestraError
from palaestra.records import Report

# Seconds without progress, by state; a worker may take a minute for a large report.
REPORTED_AFTER_S = {"waiting": 20.0, "computing": 90.0}
# By then the server has queued it again if its worker had died.
GIVEN_UP_AFTER_S = 600.0
WHAT_TO_DO = (
    "See whether the worker of the queue `facts` runs (worker-facts among the processes of `manage.py up`, a "
    "service of docker compose) and what its log says. The report is computed once one does, whether or not "
    "this command waits for it."
)


class Standstill:
    """Compares successive states of a report; ``write`` gets a line for the user once it stands still."""

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._now = now
        self._last: tuple[str, float] | None = None
        self._since = now()
        self._is_reported = False

    def look(self, report: Report) -> None:
        """Check a new state. Raises ``PalaestraError`` for a report that has stood still for too long."""
        if self._last != (report.state, report.progress):
            self._last, self._since, self._is_reported = (report.state, report.progress), self._now(), False
        seconds = self._now() - self._since
        message = f"Report {report.id} is {report.state}, without progress for {seconds:.0f} s. {WHAT_TO_DO}"
        if seconds >= GIVEN_UP_AFTER_S:
            raise PalaestraError(f"{message} {report.url}")
        if not self._is_reported and seconds >= REPORTED_AFTER_S.get(report.state, 0.0):
            self._is_reported = True
            self._write(message)
