"""The lab's own SQL: a statement per file of ``sql/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

FOLDER = Path(__file__).with_name("sql")


def rows_of(statement: str, **parameters: Any) -> list[Any]:
    """The rows that a statement returns for its parameters, as tuples."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def records_of(statement: str, **parameters: Any) -> list[dict[str, Any]]:
    """The same rows by the names of their columns."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def statement(name: str, **parts: str) -> str:
    """The statement of a file; ``parts`` replace its ``{placeholders}`` and are constants of this project."""
    text = _text(name)
    return text.format(**parts) if parts else text


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
