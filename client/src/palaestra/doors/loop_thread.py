"""An event loop in a thread, for frameworks that call synchronously."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop that runs in a daemon thread until ``end``."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="palaestra", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine in the loop and return its future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for its result; its exceptions are raised here."""
        return self.start(work).result()

    def end(self) -> None:
        """Stop the loop and wait for the thread to end."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in its own event loop, even if the calling thread is already running one."""
    loop = LoopThread()
    try:
        return loop.call(work)
    finally:
        loop.end()
