"""Queries to a database that may be restarting."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from trajectories.live.selectors import Unavailable

T = TypeVar("T")

RETRY_S = 0.25
# While Postgres restarts, a wait may exceed its time-out by this much.
RESTART_GRACE_S = 5.0


async def patiently(query: Callable[[], Awaitable[T]], *, until: float = math.inf) -> T:
    """Retry until Postgres answers; ``Unavailable`` from ``RESTART_GRACE_S`` after ``until`` (loop time)."""
    clock = asyncio.get_running_loop()
    while True:
        try:
            return await query()
        except Unavailable:
            if clock.time() >= until + RESTART_GRACE_S:
                raise
        await asyncio.sleep(RETRY_S)
