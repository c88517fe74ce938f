"""The build that prepared a database, and the check that this one continues from it.

A comment on the table of migrations contains the version, and each migration with a hash of its file. From
the first release on, migrations are only added. A migration that is unknown here, or whose file differs,
comes from a build that this one does not continue.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.exceptions import InconsistentMigrationHistory, NodeNotFoundError
from psycopg import sql

import core
from core.errors import GymError
from gymsite.services.processes import BASE_DIR

FLOORS = ("gymsite", "tasks_app", "trajectories", "verifiers")
HASH_DIGITS = 8
UPGRADE = "docs/upgrade.md says how to keep its data."
# Any role may read the catalogue, even the sandbox's.
NOTED = """
SELECT d.description FROM pg_description d
JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relname = 'django_migrations'"""


def migrations_named() -> dict[str, str]:
    """Return this build's migrations (``app.name``) with the hashes of their files."""
    paths = [path for floor in FLOORS for path in (BASE_DIR / floor / "migrations").glob("[0-9]*.py")]
    return {
        f"{path.parent.parent.name}.{path.stem}": hashlib.sha256(path.read_bytes()).hexdigest()[:HASH_DIGITS]
        for path in sorted(paths)
    }


def migrations_noted(comment: str) -> dict[str, str]:
    """Return the migrations that a comment names, with their hashes."""
    words = [word for word in comment.split() if "@" in word]
    return dict(tuple(word.split("@", 1)) for word in words)  # type: ignore[misc]


def version_noted(comment: str) -> str:
    return next((word for word in comment.split() if "@" not in word), "")


def build_note(cursor: CursorWrapper) -> None:
    """Record in the database which build has prepared it."""
    words = [core.__version__, *(f"{name}@{digest}" for name, digest in migrations_named().items())]
    statement = sql.SQL("COMMENT ON TABLE django_migrations IS {}")
    cursor.execute(statement.format(sql.Literal(" ".join(words))))


def build_check(connection: BaseDatabaseWrapper) -> None:
    """Raise ``database_of_other_build`` if applied migrations are missing or different in this build."""
    comment = _comment(connection)
    noted, own = migrations_noted(comment), migrations_named()
    unknown = sorted(noted.keys() - own.keys())
    changed = sorted(name for name, digest in noted.items() if own.get(name, digest) != digest)
    if unknown or changed:
        kind = "a newer or another" if unknown else "another"
        what = f"{', '.join(unknown or changed)} {'is unknown here' if unknown else 'has another file here'}"
        message = f"The database was prepared by {kind} build, {version_noted(comment)}: {what}. {UPGRADE}"
        raise GymError("database_of_other_build", message)


@contextlib.contextmanager
def failures_explained(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Raise ``database_of_other_build`` if the tables are not as this build's migrations expect."""
    try:
        yield
    except (DatabaseError, InconsistentMigrationHistory, NodeNotFoundError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise GymError(
            "database_of_other_build",
            f"The tables are not what this build, {core.__version__}, expects: {reason}. {UPGRADE}",
        ) from error


def _comment(connection: BaseDatabaseWrapper) -> str:
    with connection.cursor() as cursor:
        cursor.execute(NOTED)
        row = cursor.fetchone()
    return str(row[0]) if row else ""
