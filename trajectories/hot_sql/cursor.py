"""The cursor that all of them run on."""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


def hot_cursor() -> CursorWrapper:
    """A cursor that binds on the server, so that each statement is planned once a connection.

    Django's own puts the parameters into the text: measured, planning then costs as much as running.
    """
    connection.ensure_connection()
    cursor: Any = psycopg.Cursor(connection.connection)
    if connection.queries_logged:
        return connection.make_debug_cursor(cursor)
    return connection.make_cursor(cursor)
