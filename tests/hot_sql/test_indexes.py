"""What every write pays for: no index twice, and none written by an answer that arrives."""

from __future__ import annotations

import pytest
from django.db import connection

from tests import factories

pytestmark = pytest.mark.django_db

# Tables of ours; those of Django are small.
INDEXES = """
SELECT c.relname, i.indrelid::regclass::text, i.indkey::int[],
    i.indpred IS NOT NULL OR i.indexprs IS NOT NULL,
    pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE a.amname = 'btree' AND i.indrelid::regclass::text ~ '^(trajectories|tasks_app)_'"""
UPDATES = """
SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'trajectories_episode'"""


def _rows(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_no_index_is_the_beginning_of_another() -> None:
    whole = [
        (name, table, columns) for name, table, columns, is_special, _ in _rows(INDEXES) if not is_special
    ]
    assert len(whole) > 20
    twice = [
        (name, other)
        for name, table, columns in whole
        for other, other_table, other_columns in whole
        if name != other and table == other_table and other_columns[: len(columns)] == columns
    ]
    assert twice == []


def test_no_index_is_for_prefixes_that_nobody_searches() -> None:
    assert [row[0] for row in _rows(INDEXES) if "pattern_ops" in row[4]] == []


def test_an_answer_that_arrives_writes_no_index_of_its_episode() -> None:
    episode = factories.episode()
    before = _rows(UPDATES)[0]
    factories.submission(episode)
    updated, hot = (after - earlier for after, earlier in zip(_rows(UPDATES)[0], before, strict=True))
    assert (updated, hot) == (1, 1)
