"""Connection pool that checks connections by their sockets.

Django queries the server before every request: a second round trip for most requests, which are one
statement. A server that has ended or was killed has closed the socket, and that shows without a query.
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

    The pool would hand out an idle-looking connection again, hence the close. All that an idle connection
    can have to read is its end, or a notice just before it: nothing listens for notifications on pooled
    connections.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        connection.close()
        raise OperationalError("the server has closed this connection")
