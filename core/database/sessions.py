"""Connections and transactions with special settings: time limits, snapshots, session-level features."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection, transaction
from django.db.utils import OperationalError
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import QueryCanceled

# The previous limit is restored at the end, because the block may be part of a larger transaction.
_LIMIT = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"


class TooSlow(Exception):
    """Error raised when a statement was stopped at its time limit."""


@contextmanager
def limit_statements(limit_ms: int) -> Iterator[None]:
    """Open a transaction in which each statement may take ``limit_ms``, whatever the role's own limit is.

    If a statement is stopped, the block is rolled back and ``TooSlow`` is raised.
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
    """Set the time limit and return the previous one."""
    with connection.cursor() as cursor:
        cursor.execute(_LIMIT, [value])
        row = cursor.fetchone()
    return str(row[0]) if row else ""


@contextmanager
def read_one_snapshot() -> Iterator[None]:
    """Read everything in the block from the snapshot of its first statement, whatever is written meanwhile.

    If the caller has already opened a transaction, the block sees what that transaction sees.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def direct_connect() -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to the server directly, outside Django's pool, with this process's role and autocommit."""
    parameters = dict(connection.get_connection_params())
    if settings.DATABASE_DIRECT_URL:
        parameters |= conninfo_to_dict(settings.DATABASE_DIRECT_URL)
    return psycopg.connect(**parameters, autocommit=True)
