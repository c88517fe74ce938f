"""A small progress bar on standard error; a line every few seconds if that is not a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

BAR_WIDTH = 30
REDRAW_S = 0.1
PLAIN_EVERY_S = 5.0


class Progress:
    """Counts to ``total``; ``what`` names what is counted, ``note`` is shown after the bar."""

    def __init__(self, total: int, *, what: str, out: TextIO | None = None) -> None:
        self.done = 0
        self._total = total
        self._what = what
        self._out = out or sys.stderr
        self._is_terminal = self._out.isatty()
        self._started = time.monotonic()
        self._drawn = 0.0

    def advance(self, *, note: str = "") -> None:
        """Count one more."""
        self.done += 1
        now = time.monotonic()
        every = REDRAW_S if self._is_terminal else PLAIN_EVERY_S
        if self.done < self._total and now - self._drawn < every:
            return
        self._drawn = now
        self._draw(note, elapsed_s=now - self._started)

    def _draw(self, note: str, *, elapsed_s: float) -> None:
        filled = BAR_WIDTH * self.done // max(self._total, 1)
        rate = self.done / elapsed_s if elapsed_s > 0 else 0.0
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        line = f"[{bar}] {self.done}/{self._total} {self._what}  {rate:.1f}/s  {note}"
        ends = "\n" if self.done >= self._total or not self._is_terminal else ""
        start = "\r\x1b[K" if self._is_terminal else ""
        self._out.write(start + line + ends)
        self._out.flush()
