"""One query for many callers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

KEYS_PER_QUERY_MAX = 2_000


class Batch(Generic[K, V]):
    """Answers single requests with shared queries.

    Requests that arrive during a query go into the next one: an answer is never older than its request. One
    query runs at a time, so any number of callers costs one database connection.
    """

    def __init__(self, load: Callable[[list[K]], Awaitable[dict[K, V]]]) -> None:
        self._load = load
        self._pending: dict[K, asyncio.Future[V | None]] = {}
        self._runner: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V | None:
        """The value for ``key``, None when ``load`` returned none; raises what ``load`` raised."""
        future = self._pending.get(key)
        if future is None:
            future = self._pending[key] = asyncio.get_running_loop().create_future()
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())
        # Shielded: a caller that gives up must not cancel the answer for the others.
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
                future.exception()  # marks it as retrieved: all callers may have left
            return
        for key, future in requests.items():
            future.set_result(values.get(key))
