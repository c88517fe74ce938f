"""Several hosts with one Postgres: one host prepares it, the others wait, and all share its connections.

Hosts learn about each other in two ways. A comment on the table of migrations tells what the database is
prepared for, and each session's name tells how many connections its host has reserved for that process.
"""

from __future__ import annotations

import re
import socket
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import psycopg

from gymsite.services import builds
from gymsite.services.processes import SPARE_CONNECTIONS, Process

RETRY_S = 1.0
CONNECT_S = 5
REMIND_S = 60.0
HOST_CHARS_MAX = 20
_SESSIONS = (
    "SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name LIKE 'palaestra-%/%'"
)
_NAME = re.compile(r"palaestra-(?P<process>\S+) (?P<host>\S+)/(?P<count>\d+)( hub)?")


def prepared_wait(url: str, *, say: Callable[[str], None]) -> None:
    """Wait until the database has this version's tables and roles; ``url`` may be any role's."""
    remind_at = time.monotonic()
    while reason := _unprepared(url):
        if time.monotonic() >= remind_at:
            say(
                f"Waiting for the database to be prepared ({reason}): the first `make up`, or the setup "
                "container, does that. The secrets here must be the same as there."
            )
            remind_at += REMIND_S
        time.sleep(RETRY_S)


def _unprepared(url: str) -> str:
    """Return the reason why nothing can start yet, or "" if it can."""
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_S) as connection:
            row = connection.execute(builds.NOTED).fetchone()
    except psycopg.OperationalError as error:
        return next(iter(str(error).strip().splitlines()), "no connection")
    missing = set(builds.migrations_named()) - set(builds.migrations_noted(row[0] if row else ""))
    return f"{', '.join(sorted(missing))} is not applied" if missing else ""


def host_name(var_dir: Path) -> str:
    """Return a name for this installation that no other host has, in ASCII without spaces."""
    name = re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())[:HOST_CHARS_MAX]
    return f"{name}-{zlib.crc32(str(var_dir).encode()):08x}"


def session_name(process: Process, *, pool_size: int, host: str) -> str:
    """Return the application name of a process's sessions, without the prefix ``palaestra-``."""
    return f"{process.name} {host}/{process.pool_count() * (pool_size + process.fixed)}"


def read_connections(url: str, *, host: str) -> tuple[int, dict[str, int]]:
    """Return the server's ``max_connections``, and how many each other running host has reserved."""
    with psycopg.connect(url, connect_timeout=CONNECT_S) as connection:
        row = connection.execute("SELECT current_setting('max_connections')::int").fetchone()
        names = [str(name) for (name,) in connection.execute(_SESSIONS)]
    reserved: dict[str, int] = {}
    matches = filter(None, map(_NAME.fullmatch, names))
    for _, name, count in {(match["process"], match["host"], int(match["count"])) for match in matches}:
        if name != host:
            reserved[name] = reserved.get(name, 0) + count
    return (row[0] if row else 0), reserved


def warn_overbooked(url: str) -> str:
    """Return a warning if all hosts together have reserved too many connections, and otherwise ""."""
    most, reserved = read_connections(url, host="")
    count = sum(reserved.values())
    if count <= most - SPARE_CONNECTIONS:
        return ""
    return (
        f"{count} connections are reserved by {len(reserved)} containers, and Postgres allows {most}: "
        "raise max_connections, or set a lower DATABASE_POOL_MAX."
    )
