"""Connection pool that checks connections by their sockets.

Django's own check is a query before every request. Most requests run a single statement, so the check would
double their round trips. A server that has stopped or was killed has closed its socket, and that can be seen
without a query.
"""

from __future__ import annotations

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def pool(self) -> Any:
        pool = super().pool
        if pool is not None and pool._check is not None:
            pool._check = connection_check
        return pool


def connection_check(connection: Connection[Any]) -> None:
    """Close the connection and raise ``OperationalError`` when the server has hung up.

    Without the close, the pool would take the connection for an idle one and hand it out again. Nothing
    listens for notifications on pooled connections, so whatever there is to read on an idle one is its end,
    or a notice just before it.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        connection.close()
        raise OperationalError("the server has closed this connection")
