"""The cursor for hot statements."""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


def hot_cursor() -> CursorWrapper:
    """A cursor that binds parameters on the server, so that each connection plans a statement once.

    Django's own cursor binds on the client; measurements show that planning then costs as much as execution.
    """
    connection.ensure_connection()
    cursor: Any = psycopg.Cursor(connection.connection)
    if connection.queries_logged:
        return connection.make_debug_cursor(cursor)
    return connection.make_cursor(cursor)
