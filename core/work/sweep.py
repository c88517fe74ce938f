"""Sweeps: walk rows in the order of their time, and send those that are due to a queue."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

from core.work.jobs import queue_length
from core.work.queues import Queue

K = TypeVar("K", bound=int | str)

BEGINNING = datetime.min.replace(tzinfo=UTC)
PAGE = 1_000
# Time limit for walking on through pages on which nothing is due.
LOOK_S = 0.5


class Place(NamedTuple, Generic[K]):
    """Position of a row in the order of the walk."""

    since: datetime
    key: K


class Seen(NamedTuple, Generic[K]):
    """Row that a walk meets, and whether it is due."""

    since: datetime
    key: K
    is_due: bool


class Walk(Generic[K]):
    """Cursor that goes through rows once, a page at a time, and waits before the first that is still due.

    ``read`` returns the page of at most ``PAGE`` rows after a position, in order. A key that is still due
    after ``tries`` sends is left alone. ``note`` is called with each new position.
    """

    def __init__(
        self,
        *,
        read: Callable[[Place[K]], Sequence[Seen[K]]],
        place: Place[K],
        tries: int | None = None,
        note: Callable[[Place[K]], object] = lambda _: None,
    ) -> None:
        self._read, self._note = read, note
        self._most_tries = tries
        self._place = place
        self._tries: Counter[K] = Counter()

    def due(self) -> list[K]:
        """Return the keys that are due on the current page; goes on over pages on which nothing is."""
        until = time.monotonic() + LOOK_S
        while True:
            page = self._read(self._place)
            keys = [row.key for row in page if row.is_due and not self._is_given_up(row.key)]
            # Only keys that keep coming back are remembered.
            self._tries = Counter({row.key: self._tries[row.key] for row in page if row.is_due})
            self._go(page, until=keys[0] if keys else None)
            if keys or len(page) < PAGE or time.monotonic() > until:
                return keys

    def sent(self, keys: Collection[K]) -> None:
        """Mark these keys as sent."""
        self._tries.update(keys)

    def _is_given_up(self, key: K) -> bool:
        return self._most_tries is not None and self._tries[key] >= self._most_tries

    def _go(self, page: Sequence[Seen[K]], *, until: K | None) -> None:
        """Move past the page's last row before the key ``until``."""
        done = list(itertools.takewhile(lambda row: row.key != until, page))
        if done:
            self._place = Place(done[-1].since, done[-1].key)
            self._note(self._place)


class Sweep(Generic[K]):
    """A chore that sends what its walks find; ``send`` returns the keys that it could send."""

    def __init__(
        self, *, queue: Queue, walks: Sequence[Walk[K]], send: Callable[[Sequence[K]], Sequence[K]]
    ) -> None:
        self._queue, self._walks, self._send = queue, walks, send

    def __call__(self) -> int:
        """Send what is due and return how many: none while the queue holds jobs, which may be the same."""
        return self.advance() if queue_length(self._queue) == 0 else 0

    def advance(self) -> int:
        """Send the due keys of each walk and return how many."""
        due = [(walk, walk.due()) for walk in self._walks]
        sent = self._send(list(dict.fromkeys(key for _, keys in due for key in keys)))
        for walk, keys in due:
            walk.sent(set(keys).intersection(sent))
        return len(sent)
