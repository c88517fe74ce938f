"""SQL statements kept in files: ``sql/<name>.sql`` next to the module that runs them, each read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


def sql_read(module: str, name: str, **parts: str) -> str:
    """Read the statement ``name`` of a ``module`` (its ``__file__``), without comments.

    ``parts`` fill its ``{placeholders}``. They are our own text, never input: values are bound as parameters.
    """
    text = _file_read(Path(module).parent / "sql" / f"{name}.sql")
    for place, part in parts.items():
        text = text.replace(f"{{{place}}}", part)
    return text


@cache
def _file_read(path: Path) -> str:
    """Read and cache a file, because some statements are assembled again for each call."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("--"))


class Statement:
    """One SQL statement and the ways to run it. If it ``is_hot``, it runs on a ``hot_cursor``."""

    def __init__(self, module: str, name: str, *, is_hot: bool = False, **parts: str) -> None:
        self.text = sql_read(module, name, **parts)
        self._is_hot = is_hot

    def rows(self, **parameters: Any) -> list[tuple[Any, ...]]:
        """Run the statement and return all rows."""
        with self._cursor() as cursor:
            cursor.execute(self.text, parameters)
            return list(cursor.fetchall())

    def row(self, **parameters: Any) -> tuple[Any, ...] | None:
        """Run the statement and return its first row, or None if there are no rows."""
        with self._cursor() as cursor:
            cursor.execute(self.text, parameters)
            row: tuple[Any, ...] | None = cursor.fetchone()
        return row

    def run(self, **parameters: Any) -> int:
        """Run the statement and return the number of rows written."""
        with self._cursor() as cursor:
            cursor.execute(self.text, parameters)
            return int(cursor.rowcount)

    def _cursor(self) -> CursorWrapper:
        return hot_cursor() if self._is_hot else connection.cursor()


def hot_cursor() -> CursorWrapper:
    """Open a cursor that binds parameters on the server, so that each connection plans a statement once.

    Django's own cursor binds on the client; planning was then measured to cost as much as execution.
    """
    connection.ensure_connection()
    cursor: Any = psycopg.Cursor(connection.connection)
    if connection.queries_logged:
        return connection.make_debug_cursor(cursor)
    return connection.make_cursor(cursor)
