"""The loop of a process that does periodic work for the whole installation, one process at a time.

The loop marks the process as alive between two chores, so a process that hangs in a chore is not alive.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Event
from typing import NamedTuple

import psycopg
from django.db import InterfaceError, OperationalError, connection

from core.database.sessions import direct_connect
from core.telemetry import metrics, request_ids
from trajectories.record import heartbeats

logger = logging.getLogger(__name__)

LOCK_RETRY_S = 0.5
RECONNECT_S = 0.5
# The errors of a lost connection: psycopg raises the first for the listening connection, Django the others
# for its own. Django also raises them for a cancelled statement.
DATABASE_LOST = (psycopg.OperationalError, OperationalError, InterfaceError)


class Chore(NamedTuple):
    """A piece of periodic work. ``name`` labels its metrics."""

    name: str
    do: Callable[[], object]
    every_s: float


def chores_do(
    *,
    name: str,
    lock: int,
    chores: Callable[[], Sequence[Chore]],
    stop: Event,
    wakes: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """Do ``chores`` when they are due, and those of ``wakes`` when their channel is notified.

    Returns when ``stop`` is set. The advisory ``lock`` lets one process at a time work; only that process is
    marked as alive, under ``name``. After a lost database connection everything starts afresh, with new
    ``chores``. A notice only wakes the loop. Its payload is ignored, because any database role may send one,
    with any text.
    """
    while not stop.is_set():
        try:
            with direct_connect() as listening:
                if _is_locked(listening, lock, stop):
                    _listen(listening, _Plan([_sign_of_life(name), *chores()]), wakes or {}, stop)
        except DATABASE_LOST as error:
            logger.warning("the database is unreachable; trying again: %s", error)
            connection.close()
            stop.wait(RECONNECT_S)


def _sign_of_life(name: str) -> Chore:
    return Chore("sign_of_life", partial(heartbeats.alive_mark, name), heartbeats.ALIVE_EVERY_S)


def _is_locked(listening: psycopg.Connection, lock: int, stop: Event) -> bool:
    while not stop.is_set():
        row = listening.execute("SELECT pg_try_advisory_lock(%s)", [lock]).fetchone()
        if row and row[0]:
            return True
        stop.wait(LOCK_RETRY_S)
    return False


def _listen(
    listening: psycopg.Connection, plan: _Plan, wakes: Mapping[str, Callable[[], object]], stop: Event
) -> None:
    for channel in wakes:
        listening.execute(f"LISTEN {channel}")
    while not stop.is_set():
        heard = {notice.channel for notice in listening.notifies(timeout=plan.wait_s(), stop_after=1)}
        # Collect the notices that arrived in the meantime, so that each channel is handled only once.
        heard |= {notice.channel for notice in listening.notifies(timeout=0)}
        for channel in sorted(heard):
            _try(channel, wakes[channel])
        plan.do_due()


class _Plan:
    """The times at which chores are due."""

    def __init__(self, chores: Sequence[Chore]) -> None:
        self._chores = list(chores)
        self._next = [time.monotonic()] * len(self._chores)

    def wait_s(self) -> float:
        """Return the seconds until the next chore is due."""
        return max(0.0, min(self._next) - time.monotonic())

    def do_due(self) -> None:
        for place, chore in enumerate(self._chores):
            if time.monotonic() >= self._next[place]:
                _try(chore.name, chore.do)
                self._next[place] = time.monotonic() + chore.every_s


def _try(name: str, do: Callable[[], object]) -> None:
    """Do a chore and log its failure, such as a cancelled statement, so that the other chores go on.

    A chore that failed is tried again at its next time. Raises only the error of a lost connection.
    """
    with request_ids.bind(request_ids.generate()):
        try:
            with metrics.CHORE_SECONDS.labels(name).time():
                do()
        except Exception as error:
            metrics.CHORE_FAILURES.labels(name).inc()
            if isinstance(error, DATABASE_LOST) and not connection.is_usable():
                raise
            logger.exception("a chore failed: %s", name)


def stop_on_signals() -> Event:
    """Return an event that is set when the process receives SIGTERM or SIGINT."""
    stop = Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stop.set())
    return stop
