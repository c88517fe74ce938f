"""Connections to Postgres itself, for session-level features: advisory locks and LISTEN.

A pooler (PgBouncer) gives each transaction another session, so these go past it: ``DATABASE_DIRECT_URL``.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from psycopg.conninfo import conninfo_to_dict


def direct_connect() -> psycopg.Connection[tuple[Any, ...]]:
    """Open a connection of this process's role, in autocommit."""
    parameters = dict(connection.get_connection_params())
    if settings.DATABASE_DIRECT_URL:
        parameters |= conninfo_to_dict(settings.DATABASE_DIRECT_URL)
    return psycopg.connect(**parameters, autocommit=True)
