"""Signals that wake those who wait for news of an id."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator


class Signals:
    """Any number of listeners for each id. A signal carries no data: a woken listener queries Postgres."""

    def __init__(self) -> None:
        self._listeners: dict[int, set[asyncio.Event]] = {}

    @contextlib.contextmanager
    def listen(self, key: int) -> Iterator[asyncio.Event]:
        """An event that is set at each signal for ``key``; the listener clears it before querying."""
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
        """Every id that someone waits for."""
        return list(self._listeners)

    def __len__(self) -> int:
        return sum(map(len, self._listeners.values()))
