"""Stragglers: the last few episodes of a batch, for which all others would wait."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any

from palaestra.background import tasks_cancel


class Batch:
    """Episodes that are played together.

    Once the share ``cut_after`` of them has been played, the rest is cut ``grace_s`` seconds later; None:
    never. Raises ``ValueError`` for a share outside (0, 1].
    """

    def __init__(self, *, cut_after: float | None, grace_s: float) -> None:
        if cut_after is not None and not 0 < cut_after <= 1:
            raise ValueError("cut_after must lie between 0 and 1")
        self._cut_after, self._grace_s = cut_after, grace_s
        self._cut = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._size: int | None = None
        self._played = 0

    def complete(self, size: int) -> None:
        """Note that all ``size`` episodes have been opened."""
        self._size = size
        self._start_timer()

    async def play(self, playing: Coroutine[Any, Any, str]) -> str | None:
        """Return what playing an episode returns, or None if it was cut."""
        played, cut = asyncio.ensure_future(playing), asyncio.ensure_future(self._cut.wait())
        try:
            await asyncio.wait({played, cut}, return_when=asyncio.FIRST_COMPLETED)
            return await played if played.done() else None
        finally:
            await tasks_cancel([played, cut])
            self._played += 1
            self._start_timer()

    def end(self) -> None:
        """Cancel the pending cut."""
        if self._timer is not None:
            self._timer.cancel()

    def _start_timer(self) -> None:
        if self._cut_after is None or self._size is None or self._timer is not None:
            return
        if math.ceil(self._cut_after * self._size) <= self._played < self._size:
            self._timer = asyncio.get_running_loop().call_later(self._grace_s, self._cut.set)
