"""A worker's sign of life: an advisory lock that its process holds, and whose key its claims carry.

Postgres frees the lock when the process dies, for whatever reason, so that others take up its claims without
waiting for a time-out.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import time

import psycopg
from django.conf import settings

from core.database.sessions import direct_connect

logger = logging.getLogger(__name__)

LOCK_CLASS = 0x574F_524B  # "WORK"
KEY_MAX = 2**31 - 1
RETRY_S = 0.2
FIRST_S = 5.0
WAIT_S = 3600.0


class _Held:
    """The lock of one process. A forked child holds a lock of its own."""

    key: int | None = None
    pid = 0


_starting = threading.Lock()


def lock_hold() -> None:
    """Hold this worker's lock from now on. Further calls, and calls in other processes, do nothing."""
    with _starting:
        if settings.PROCESS != "worker" or os.getpid() == _Held.pid:
            return
        _Held.key, _Held.pid = None, os.getpid()
        is_held = threading.Event()
        threading.Thread(target=_hold_forever, args=(is_held,), name="lock", daemon=True).start()
        # Wait for the lock first: the claims of a worker that dies without one are freed only when they time
        # out.
        is_held.wait(FIRST_S)


def lock_key() -> int | None:
    """Return the key of this process's lock, or None if it holds none."""
    return _Held.key if os.getpid() == _Held.pid else None


def _hold_forever(is_held: threading.Event) -> None:
    key = random.SystemRandom().randint(1, KEY_MAX)
    while True:
        try:
            with direct_connect() as holder:
                holder.execute("SELECT pg_advisory_lock(%s, %s)", [LOCK_CLASS, key])
                _Held.key = key
                is_held.set()
                while True:
                    # No notice ever arrives; the wait ends only when the connection is lost.
                    list(holder.notifies(timeout=WAIT_S))
        except psycopg.OperationalError as error:
            logger.warning("this worker lost its lock and is taking it again: %s", error)
            time.sleep(RETRY_S)
