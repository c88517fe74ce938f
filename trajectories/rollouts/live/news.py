"""Signals that wake waiters and feeds, and queries batched for many of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from trajectories.rollouts.live.selectors import EpisodeState, LiveReader, VerdictPage


class Signals:
    """Signals by id, with any number of listeners for each.

    A signal carries no data: a listener that is woken queries Postgres.
    """

    def __init__(self) -> None:
        self._listeners: dict[int, set[asyncio.Event]] = {}

    @contextlib.contextmanager
    def listen(self, key: int) -> Iterator[asyncio.Event]:
        """Yield an event that each signal for ``key`` sets. The listener clears it before querying."""
        event = asyncio.Event()
        self._listeners.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            listeners = self._listeners[key]
            listeners.discard(event)
            if not listeners:
                del self._listeners[key]

    def notify(self, keys: Iterable[int]) -> None:
        for key in keys:
            for event in self._listeners.get(key, ()):
                event.set()

    def notify_all(self) -> None:
        self.notify(self.keys())

    def keys(self) -> list[int]:
        """Return every id that somebody is listening for."""
        return list(self._listeners)

    def __len__(self) -> int:
        return sum(map(len, self._listeners.values()))


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

KEYS_PER_QUERY_MAX = 2_000


class Batch(Generic[K, V]):
    """Batching of single requests into shared queries.

    Requests that arrive during a query go into the next one, so an answer is never older than its request.
    One query runs at a time, so any number of callers costs one database connection.
    """

    def __init__(self, load: Callable[[list[K]], Awaitable[dict[K, V]]]) -> None:
        self._load = load
        self._pending: dict[K, asyncio.Future[V | None]] = {}
        self._runner: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V | None:
        """Return the value for ``key``, or None if ``load`` returned none. Raises the errors of ``load``."""
        future = self._pending.get(key)
        if future is None:
            future = self._pending[key] = asyncio.get_running_loop().create_future()
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())
        # The shield prevents a caller that gives up from cancelling the answer for the others.
        return await asyncio.shield(future)

    async def _run(self) -> None:
        try:
            while self._pending:
                keys = list(self._pending)[:KEYS_PER_QUERY_MAX]
                await self._answer({key: self._pending.pop(key) for key in keys})
        finally:
            self._runner = None

    async def _answer(self, requests: dict[K, asyncio.Future[V | None]]) -> None:
        try:
            values = await self._load(list(requests))
        except Exception as error:  # noqa: BLE001 (handed to every caller)
            for future in requests.values():
                future.set_exception(error)
                future.exception()  # Mark the error as retrieved, because all callers may have left.
            return
        for key, future in requests.items():
            future.set_result(values.get(key))


class News:
    """Signals by episode and run, and batched reads of their state."""

    def __init__(self, reader: LiveReader) -> None:
        self.reader = reader
        self.episodes = Signals()
        self.runs = Signals()
        # Pages that count a run's episodes listen here, so that openings do not wake callers that wait for
        # verdicts.
        self.pulses = Signals()
        self.states: Batch[int, EpisodeState] = Batch(reader.episode_states)
        self.pages: Batch[tuple[int, int], VerdictPage] = Batch(reader.verdict_pages)
