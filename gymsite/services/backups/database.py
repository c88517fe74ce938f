"""The installation's database: a server that is already running, or the embedded one, started for now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from core.errors import GymError
from gymsite.services import embedded_servers, endpoints, preflight
from gymsite.services.supervisor import Supervisor

CONNECT_TIMEOUT_S = 5
STOP_S = 10.0


@contextmanager
def database_running(var_dir: Path, *, database_url: str) -> Iterator[str]:
    """Provide the owner's address of a running server; an empty ``database_url`` means the embedded one.

    Errors: ``database_unreachable``, ``already_running``, and those of the embedded server.
    """
    url = database_url or endpoints.database_url(var_dir, role="owner")
    try:
        psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S).close()
    except psycopg.OperationalError as error:
        if database_url:
            message = (
                f"The server of DATABASE_URL cannot be reached ({error}): start it, or correct the address."
            )
            raise GymError("database_unreachable", message) from None
    else:
        yield url
        return
    with preflight.lock_var_dir(var_dir), postgres_started(var_dir) as own:
        yield own


@contextmanager
def postgres_started(var_dir: Path) -> Iterator[str]:
    """Start the embedded Postgres for the duration of the block, and provide its owner's address."""
    supervisor = Supervisor(logs_dir=var_dir / "logs", say=lambda _: None)
    try:
        embedded_servers.start(var_dir, supervisor, with_redis=False)
        yield endpoints.database_url(var_dir, role="owner")
    finally:
        supervisor.stop(grace_s=STOP_S)
