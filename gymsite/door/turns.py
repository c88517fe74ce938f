"""A fair queue: a caller that sends thousands of requests delays only its own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from queue import SimpleQueue
from typing import Generic, TypeVar

J = TypeVar("J")

NOBODY = object()
SHARED_S = 10.0
"""Seconds after the arrival of a second caller during which no caller may use all threads."""


class Turns(Generic[J]):
    """Queue in which callers take turns: the first job of each caller, then the second of each, and so on.

    While there are several callers, each has at most half of the ``threads``, so that a thread is free when
    another caller comes, and fewer jobs compete for the processor.
    """

    def __init__(self, *, threads: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._threads = threads
        self._clock = clock
        self._waiting: dict[Hashable, deque[J]] = {}
        self._order: deque[Hashable] = deque()
        self._busy: dict[Hashable, int] = {}
        self._lock = threading.Lock()
        # One ticket for each job that threads may take. Other jobs are held until a job of their caller is
        # done.
        self._tickets: SimpleQueue[None] = SimpleQueue()
        self._held = 0
        self._latest: Hashable = NOBODY
        self._shared_until = 0.0

    def __len__(self) -> int:
        return self._tickets.qsize() + self._held

    def share_is_used(self, caller: Hashable, *, most: int) -> bool:
        """Return whether ``most`` jobs are waiting and the caller already has its equal share of them."""
        if len(self) < most:
            return False
        with self._lock:
            return len(self._waiting.get(caller, ())) * len(self._waiting.keys() | {caller}) >= most

    def put(self, caller: Hashable, job: J) -> None:
        """Queue a caller's job."""
        with self._lock:
            if caller != self._latest:
                if self._latest is not NOBODY:
                    self._shared_until = self._clock() + SHARED_S
                self._latest = caller
            if waiting := self._waiting.get(caller):
                waiting.append(job)
            else:
                self._waiting[caller] = deque((job,))
                self._order.append(caller)
            if self._busy.get(caller, 0) >= self._limit():
                self._held += 1
                return
        self._tickets.put(None)

    def get(self) -> tuple[Hashable, J]:
        """Wait for the next job and return it with its caller. Call ``done`` when the job has finished."""
        while True:
            self._tickets.get()
            with self._lock:
                if taken := self._take():
                    return taken
                self._held += 1

    def done(self, caller: Hashable) -> None:
        """Give back the thread that a caller's job used."""
        with self._lock:
            if busy := self._busy.pop(caller) - 1:
                self._busy[caller] = busy
            free = self._limit() - busy
            freed = min(self._held, max(free, 0))
            self._held -= freed
        for _ in range(freed):
            self._tickets.put(None)

    def _take(self) -> tuple[Hashable, J] | None:
        """Take the first job of the next caller that may use another thread."""
        limit = self._limit()
        for _ in range(len(self._order)):
            caller = self._order.popleft()
            busy = self._busy.get(caller, 0)
            if busy >= limit:
                self._order.append(caller)
                continue
            waiting = self._waiting[caller]
            job = waiting.popleft()
            if waiting:
                self._order.append(caller)
            else:
                del self._waiting[caller]
            self._busy[caller] = busy + 1
            return caller, job
        return None

    def _limit(self) -> int:
        return max(1, self._threads // 2) if self._clock() < self._shared_until else self._threads
