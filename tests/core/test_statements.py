"""Statements within a limit of their own."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.utils import OperationalError

from core.database.sessions import TooSlow, limit_statements

pytestmark = pytest.mark.django_db


def value_of(sql: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()


def test_a_statement_is_stopped_at_the_limit_and_the_transaction_goes_on() -> None:
    before = value_of("SHOW statement_timeout")
    with pytest.raises(TooSlow), limit_statements(20):
        value_of("SELECT pg_sleep(30)")
    assert value_of("SHOW statement_timeout") == before


def test_the_limit_ends_with_the_block() -> None:
    before = value_of("SHOW statement_timeout")
    with limit_statements(1234):
        assert value_of("SHOW statement_timeout") == ("1234ms",)
    assert value_of("SHOW statement_timeout") == before


def test_other_errors_are_raised_unchanged() -> None:
    failure = OperationalError("the server closed the connection")
    with pytest.raises(OperationalError, match="closed the connection"), limit_statements(1000):
        raise failure
