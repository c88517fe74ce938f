"""SQL statements that may not take long: whoever waits is told, and Postgres stops working."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.utils import OperationalError
from psycopg.errors import QueryCanceled

# The role's own limit is put back at the end: the transaction may be a larger one's.
_LIMIT = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"


class TooSlow(Exception):
    """A statement was stopped at its limit."""


@contextmanager
def statements_within(limit_ms: int) -> Iterator[None]:
    """In one transaction, in which each statement may take so many milliseconds, whatever the role may.

    Raises ``TooSlow`` when one was stopped; nothing of the block is then kept.
    """
    try:
        with transaction.atomic():
            before = _limit(f"{limit_ms}ms")
            yield
            _limit(before)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooSlow(f"A statement was stopped after {limit_ms} ms.") from error
        raise


def _limit(value: str) -> str:
    """The limit before this one."""
    with connection.cursor() as cursor:
        cursor.execute(_LIMIT, [value])
        row = cursor.fetchone()
    return str(row[0]) if row else ""
