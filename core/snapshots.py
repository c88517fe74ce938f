"""Several reads from one snapshot of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def read_one_snapshot() -> Iterator[None]:
    """Read everything in the block from the snapshot of its first statement, whatever is written meanwhile.

    Inside a caller's transaction it sees what that transaction sees.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield
