"""Sweeps, which walk through rows in order of time and send the due ones to a queue."""

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
# Time limit for skipping pages on which nothing is due.
LOOK_S = 0.5


class Place(NamedTuple, Generic[K]):
    """A row's position in the order of the walk."""

    since: datetime
    key: K


class Seen(NamedTuple, Generic[K]):
    """A row read by a walk, and whether it is due."""

    since: datetime
    key: K
    is_due: bool


class Walk(Generic[K]):
    """Cursor that walks through rows once, page by page, and stops before the first that is still due.

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
        """Return the due keys of the current page; pages on which nothing is due are skipped."""
        until = time.monotonic() + LOOK_S
        while True:
            page = self._read(self._place)
            keys = [row.key for row in page if row.is_due and not self._is_given_up(row.key)]
            # Only keys that are still due are remembered.
            self._tries = Counter({row.key: self._tries[row.key] for row in page if row.is_due})
            self._go(page, until=keys[0] if keys else None)
            if keys or len(page) < PAGE or time.monotonic() > until:
                return keys

    def sent(self, keys: Collection[K]) -> None:
        """Record that these keys were sent."""
        self._tries.update(keys)

    def _is_given_up(self, key: K) -> bool:
        return self._most_tries is not None and self._tries[key] >= self._most_tries

    def _go(self, page: Sequence[Seen[K]], *, until: K | None) -> None:
        """Move to the page's last row before the key ``until``, or to its end if there is no such key."""
        done = list(itertools.takewhile(lambda row: row.key != until, page))
        if done:
            self._place = Place(done[-1].since, done[-1].key)
            self._note(self._place)


class Sweep(Generic[K]):
    """Chore that sends what its walks find to be due; ``send`` returns the keys that could be sent."""

    def __init__(
        self, *, queue: Queue, walks: Sequence[Walk[K]], send: Callable[[Sequence[K]], Sequence[K]]
    ) -> None:
        self._queue, self._walks, self._send = queue, walks, send

    def __call__(self) -> int:
        """Send what is due and return how many; send nothing while the queue holds jobs, to avoid repeats."""
        return self.advance() if queue_length(self._queue) == 0 else 0

    def advance(self) -> int:
        """Send the due keys of all walks and return how many were sent."""
        due = [(walk, walk.due()) for walk in self._walks]
        sent = self._send(list(dict.fromkeys(key for _, keys in due for key in keys)))
        for walk, keys in due:
            walk.sent(set(keys).intersection(sent))
        return len(sent)
