"""The clock that limits a policy's time for an episode."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
POLL_S = 0.05


class OutOfTime(Exception):
    """Raised if the policy has used up its time."""


class PolicyClock:
    """Counts down ``limit_s`` seconds of the policy's own work.

    It is paused while the policy waits for something else: a rate limit, a free slot of its model server, or
    a call that must be retried.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._used_s = 0.0
        self._began: float | None = None

    @property
    def left_s(self) -> float:
        running_s = time.monotonic() - self._began if self._began is not None else 0.0
        return self.limit_s - self._used_s - running_s

    async def bound(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` against the clock.

        When no time is left, ``work`` is cancelled and ``OutOfTime`` raised.
        """
        task = asyncio.ensure_future(work)
        self._start()
        try:
            while not task.done():
                if self.left_s <= 0:
                    raise OutOfTime
                await asyncio.wait({task}, timeout=max(self.left_s, POLL_S))
            return task.result()
        finally:
            self._stop()
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the clock while the block runs."""
        was_running = self._began is not None
        self._stop()
        try:
            yield
        finally:
            if was_running:
                self._start()

    @contextmanager
    def refunded_on_failure(self) -> Iterator[None]:
        """Refund the time of a block that raises, because the policy did not use it.

        The exception is passed on.
        """
        used_s = self.limit_s - self.left_s
        try:
            yield
        except BaseException:
            self._used_s = used_s
            if self._began is not None:
                self._start()
            raise

    def _start(self) -> None:
        self._began = time.monotonic()

    def _stop(self) -> None:
        if self._began is not None:
            self._used_s += time.monotonic() - self._began
        self._began = None
