"""Waiting for an arena that is being restarted: a failure of ours, of which the agent learns nothing."""

from __future__ import annotations

import asyncio
import time

from palaestra import backoff

LIMIT_S = 60.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 3.0


class Patience:
    """Pauses that grow, until ``limit_s`` seconds after its making."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._deadline = time.monotonic() + limit_s
        self._pauses = 0

    async def pause(self) -> bool:
        """Wait a while; False, at once, when the time is over."""
        if time.monotonic() >= self._deadline:
            return False
        await asyncio.sleep(backoff.pause_s(self._pauses, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S))
        self._pauses += 1
        return True
