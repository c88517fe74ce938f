"""`make bench` fills tables by statements of its own, which a new column must not break."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

STATEMENT = re.compile(r"(?:INSERT INTO|COPY) (\w+) \(([\w\s,]+)\)\s+(?:VALUES|SELECT|FROM STDIN)")
OWN_TABLES = {"bench_bare"}
NEEDED = """
SELECT column_name FROM information_schema.columns
WHERE table_name = %s AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'
    AND is_generated = 'NEVER'"""


def statements() -> Iterator[tuple[str, str, frozenset[str]]]:
    """File, table and named columns of each statement that adds rows."""
    for path in sorted((Path(__file__).parent / "bench").glob("*.py")):
        for table, columns in STATEMENT.findall(path.read_text()):
            if table not in OWN_TABLES:
                yield path.name, table, frozenset(re.findall(r"\w+", columns))


@pytest.mark.django_db
@pytest.mark.parametrize(("file", "table", "named"), [*statements()])
def test_a_statement_of_the_bench_fills_every_column_that_has_no_default(
    file: str, table: str, named: frozenset[str]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(NEEDED, [table])
        needed = {name for (name,) in cursor.fetchall()}
    assert needed, table
    assert needed <= named, file


def test_the_statements_are_recognised() -> None:
    assert len([*statements()]) > 15
