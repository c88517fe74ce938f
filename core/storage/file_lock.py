"""Lock between writers of files that no committed row names yet, and the deletion of unnamed files.

Writers that check the file again after committing its row do not need the lock. Uploads and the arena's
recordings do so (``trajectories/rollouts/retention/__init__.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

LOCK = 0x4649_4C45  # "FILE"


@contextmanager
def hold_files() -> Iterator[None]:
    """Keep files without a row from being deleted. Waits for a running deletion; holds one connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
    try:
        yield
    finally:
        # If the connection is lost, so is the lock.
        if connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [LOCK])


def deletion_try() -> bool:
    """Try, without waiting, to lock out writers until this transaction ends; return whether it worked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        (is_free,) = cursor.fetchone() or (False,)
    return bool(is_free)
