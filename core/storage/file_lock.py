"""Lock between writers of files that no committed row names yet, and the deletion of unnamed files.

Who makes sure of the file once more after its row is committed needs no lock: uploads and the arena's
recordings do so (``trajectories/rollouts/retention/__init__.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

LOCK = 0x4649_4C45  # "FILE"


@contextmanager
def hold_files() -> Iterator[None]:
    """Keep files without a row from being deleted; waits for a batch under way. Holds one connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
    try:
        yield
    finally:
        # Without its connection the lock is gone.
        if connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [LOCK])


def deletion_try() -> bool:
    """Try to lock out writers until the end of this transaction; never waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        (is_free,) = cursor.fetchone() or (False,)
    return bool(is_free)
