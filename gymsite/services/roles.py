"""Database roles: one login per kind of process, with the grants of ``roles.sql``."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from gymsite.services import secrets

ROLES = ("gym_arena", "gym_lab", "gym_worker")
GRANTS = Path(__file__).resolve().parent.parent / "roles.sql"
LOCK = 0x67796D  # advisory lock: two concurrent starts must not both change the catalogue


def roles_apply(connection: BaseDatabaseWrapper, *, var_dir: Path) -> None:
    """Create the roles with the passwords in ``var_dir`` and apply ``roles.sql``, in one transaction.

    Roles are server-wide; grants hold for the connection's database. Errors: ``no_secret``.
    """
    passwords = {role: secrets.read(var_dir, role) for role in ROLES}
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        for role, password in passwords.items():
            _role_make(cursor, role=role, password=password)
        _database_close(cursor)
        cursor.execute(GRANTS.read_text())


def _role_make(cursor: CursorWrapper, *, role: str, password: str) -> None:
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
    verb = "ALTER" if cursor.fetchone() else "CREATE"
    statement = sql.SQL(
        "{verb} ROLE {role} LOGIN NOINHERIT NOCREATEDB NOCREATEROLE PASSWORD {password}"
    ).format(verb=sql.SQL(verb), role=sql.Identifier(role), password=sql.Literal(password))
    cursor.execute(statement)


def _database_close(cursor: CursorWrapper) -> None:
    """Only our roles may connect, and none may create temporary tables."""
    cursor.execute("SELECT current_database()")
    (name,) = cursor.fetchone()
    database = sql.Identifier(name)
    roles = sql.SQL(", ").join(sql.Identifier(role) for role in ROLES)
    cursor.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
    cursor.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, roles))
