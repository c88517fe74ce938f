"""Waiting for a server that is being restarted: the failure is ours, and the agent never notices it."""

from __future__ import annotations

import asyncio
import time

from palaestra import backoff

LIMIT_S = 60.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 3.0


class Patience:
    """Growing pauses, until ``limit_s`` seconds after its creation."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._deadline = time.monotonic() + limit_s
        self._pauses = 0

    async def pause(self, *, least_s: float = 0.0) -> bool:
        """Wait for longer than ``least_s``; return False at once if no time is left for that."""
        own_s = backoff.compute_pause_s(self._pauses, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
        pause_s = least_s + own_s
        if time.monotonic() + pause_s > self._deadline:
            return False
        await asyncio.sleep(pause_s)
        self._pauses += 1
        return True
