"""What is left of a test that committed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, connections
from django.test import TransactionTestCase

from tests.empty_tables import tables_empty

pytestmark = pytest.mark.django_db(transaction=True)
# Tables are gone through in the order in which they were made: the one that refers to the other is first.
MAKE = """
CREATE TABLE late_child (parent integer);
CREATE TABLE late_parent (id integer PRIMARY KEY);
ALTER TABLE late_child ADD FOREIGN KEY (parent) REFERENCES late_parent;
INSERT INTO late_parent VALUES (1)
"""
WAITS = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid)))"
DEADLINE_S = 20


def value_of(sql: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchone()[0]


@pytest.fixture
def writer() -> Iterator[Any]:
    """The connection of another process, to tables of its own."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE)
    other = connection.copy()
    yield other
    other.close()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE late_child, late_parent")


def emptied() -> None:
    tables_empty(TransactionTestCase)
    connections.close_all()


def test_what_is_written_while_tables_are_emptied_does_not_stay(writer: Any) -> None:
    writer.set_autocommit(False)
    with writer.cursor() as cursor:
        cursor.execute("INSERT INTO late_child VALUES (1)")
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    emptying = threading.Thread(target=emptied)
    emptying.start()
    deadline = time.monotonic() + DEADLINE_S
    while not value_of(WAITS, pid):
        assert time.monotonic() < deadline
    writer.commit()
    emptying.join()
    assert [value_of(f"SELECT count(*) FROM {table}") for table in ("late_child", "late_parent")] == [0, 0]
