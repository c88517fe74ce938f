"""Dumps of the database: one file, written by pg_dump and read by pg_restore."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.errors import GymError
from gymsite.services import binaries

JOBS_MAX = 4
# Every restore begins with this setting. Servers before 17 do not know it, which does no harm here.
UNKNOWN_SETTING = 'unrecognized configuration parameter "transaction_timeout"'
Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def snapshot(url: str) -> Iterator[tuple[Connection, str]]:
    """Export a snapshot. Provide a connection that sees it, and its name for use by other connections.

    The snapshot lasts until the end of the block; until then dead rows cannot be vacuumed.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.execute("SET statement_timeout = 0")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        (name,) = connection.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
        yield connection, str(name)


def database_dump(url: str, *, target: Path, snapshot: str) -> None:
    """Dump the database as a snapshot sees it. Errors: ``dump_failed``."""
    target.touch(mode=0o600)
    options = ("--format=custom", "--compress=gzip:1", f"--snapshot={snapshot}", f"--file={target}")
    done = _run(url, "pg_dump", *options)
    if done.returncode:
        raise GymError("dump_failed", f"The database could not be dumped: {_last_line(done.stderr)}")


def database_load(url: str, *, source: Path) -> None:
    """Load a dump into an empty database, without its roles and grants. Errors: ``load_failed``."""
    jobs = min(JOBS_MAX, os.cpu_count() or 1)
    done = _run(url, "pg_restore", "--no-owner", "--no-privileges", f"--jobs={jobs}", str(source))
    errors = [
        line for line in done.stderr.splitlines() if "error:" in line and not line.endswith(UNKNOWN_SETTING)
    ]
    if errors or (done.returncode and UNKNOWN_SETTING not in done.stderr):
        reason = errors[0] if errors else _last_line(done.stderr)
        raise GymError("load_failed", f"The database could not be restored: {reason}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")  # a dump contains no statistics for the planner


def rows_write(connection: Connection, statement: LiteralString, *, target: Path) -> None:
    """Stream the output of a COPY to a file, so that a million rows are not held in memory."""
    with target.open("wb") as file, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for block in copy:
            file.write(block)


def row_counts(connection: Connection) -> dict[str, int]:
    """Count the rows in each of our tables."""
    tables = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
    ).fetchall()
    counts = {}
    for (table,) in tables:
        statement = sql.SQL("SELECT count(*) FROM public.{}").format(sql.Identifier(table))
        counts[table] = (connection.execute(statement).fetchone() or (0,))[0]
    return counts


def database_empty(connection: Connection) -> None:
    """Drop everything that a dump contains."""
    for schema in ("public", "sandbox"):
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))
    connection.execute("CREATE SCHEMA public")


def _run(url: str, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of Postgres's programs on a database; the password does not appear in process lists."""
    address: dict[str, Any] = dict(conninfo_to_dict(url))
    password = str(address.pop("password", ""))
    return subprocess.run(  # noqa: S603 - our own program
        [str(binaries.postgres_program(program)), f"--dbname={make_conninfo(**address)}", *arguments],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGPASSWORD": password},
        capture_output=True,
        text=True,
        check=False,
    )


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[-1]
