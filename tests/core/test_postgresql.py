from __future__ import annotations

import copy
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connections

from core.database.postgresql.base import DatabaseWrapper, connection_check

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pooled() -> Iterator[DatabaseWrapper]:
    """The database's connections as a server has them: in a pool, each looked at before it is used."""
    settings = copy.deepcopy(connections["default"].settings_dict)
    settings["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 1, "timeout": 5.0}
    made = DatabaseWrapper(settings, alias="pooled")
    yield made
    made.close()
    made.close_pool()


def backend(of: DatabaseWrapper) -> int:
    with of.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid: int = cursor.fetchone()[0]
    of.close()
    return pid


def test_a_pooled_connection_is_reused_without_a_query(pooled: DatabaseWrapper) -> None:
    first = backend(pooled)
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [first])
        before = cursor.fetchone()[0]
        connection = pooled.pool.getconn()
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [first])
        after = cursor.fetchone()[0]
        pooled.pool.putconn(connection)
    assert before == after == "SELECT pg_backend_pid()"


def test_a_connection_that_the_server_closed_is_replaced_silently(pooled: DatabaseWrapper) -> None:
    first = backend(pooled)
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    assert backend(pooled) != first


def test_a_closed_connection_is_distinguished_from_an_idle_one(pooled: DatabaseWrapper) -> None:
    first = backend(pooled)
    one = pooled.pool.getconn()
    connection_check(one)
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    with pytest.raises(psycopg.OperationalError, match="closed this connection"):
        connection_check(one)
    assert one.closed
    pooled.pool.putconn(one)
