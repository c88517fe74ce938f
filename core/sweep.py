"""Sends what is due to a queue, oldest first, and remembers up to when everything is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

from django.db import connection

from core.jobs import queue_length
from core.queues import Queue

K = TypeVar("K", bound=Hashable)

BEGINNING = datetime.min.replace(tzinfo=UTC)
# A row can become visible this much later than its time says.
COMMIT_S = 60


class Due(NamedTuple, Generic[K]):
    """Something to do, and since when."""

    since: datetime
    key: K


class Sweep(Generic[K]):
    """A chore that finds its work by time, so that each sweep is short.

    ``due`` lists what is due since a time, the oldest first, without some keys; ``send`` returns the keys it
    could send. No work appears any more that is older than ``settle_s``. A key that is still due after
    ``tries`` sends is left alone. Sweeps begin at the beginning: a new version covers all history.
    """

    def __init__(
        self,
        *,
        queue: Queue,
        due: Callable[[datetime, Sequence[K]], Sequence[Due[K]]],
        send: Callable[[Sequence[K]], Sequence[K]],
        settle_s: float,
        tries: int | None = None,
    ) -> None:
        self._queue, self._settle_s, self._most_tries = queue, settle_s, tries
        self._due, self._send = due, send
        self._since = BEGINNING
        self._tries: Counter[K] = Counter()

    def __call__(self) -> int:
        """How many were sent: none while the queue holds jobs, which may well be the same ones."""
        return self.advance() if queue_length(self._queue) == 0 else 0

    def advance(self) -> int:
        settled = settled_until(self._settle_s)
        given_up = [key for key, tries in self._tries.items() if tries >= (self._most_tries or tries + 1)]
        due = self._due(self._since, given_up)
        self._since = max(self._since, min(due[0].since if due else settled, settled))
        sent = self._send([one.key for one in due])
        # Only keys that keep coming back are remembered.
        self._tries = Counter({key: self._tries[key] + 1 for key in {*sent, *given_up}})
        return len(sent)


def settled_until(seconds: float) -> datetime:
    """The time ``seconds`` ago by the database's clock, less what a late commit may take."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now() - make_interval(secs => %s)", [seconds + COMMIT_S])
        (settled,) = cursor.fetchone() or (BEGINNING,)
    return settled
