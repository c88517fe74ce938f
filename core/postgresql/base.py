"""Whether a pooled connection still lives is asked of its socket.

Django asks the server before every request, which is a second round trip beside the one statement that most
requests are. A server that ended or was killed has closed the socket, and that can be read without asking.
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

    Closed, since the pool gives a connection out again that looks idle. What an idle connection has to read
    is the end of it, or a notice that came just before: both are of a server that goes. Nobody listens for
    notifications on pooled connections.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        connection.close()
        raise OperationalError("the server has closed this connection")
