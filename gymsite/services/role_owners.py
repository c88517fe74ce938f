"""Check of which installation owns the database roles of a Postgres server.

Roles belong to the whole server, so a second installation on it would change the passwords of the first. A
comment on each role names the database that it was last prepared for, and a fingerprint of its password.
Installations with the same secrets may share a server.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from django.db.backends.utils import CursorWrapper
from psycopg import sql

from core.errors import GymError

NOTE = re.compile(r'Palaestra in "(?P<database>.*)", (?P<fingerprint>[0-9a-f]{16})')
_OTHERS = """
SELECT r.rolname, shobj_description(r.oid, 'pg_authid') FROM pg_roles r
WHERE r.rolname = ANY(%s) AND shobj_description(r.oid, 'pg_authid') IS NOT NULL"""


def owner_check(cursor: CursorWrapper, *, passwords: Mapping[str, str]) -> None:
    """Raise ``roles_of_another_installation`` if another database's installation uses the roles."""
    cursor.execute(_OTHERS, [list(passwords)])
    for role, comment in cursor.fetchall():
        noted = NOTE.fullmatch(comment)
        if noted is None or noted["fingerprint"] == _fingerprint(passwords[role]):
            continue
        if noted["database"] != _own_database(cursor) and _exists(cursor, noted["database"]):
            raise GymError(
                "roles_of_another_installation",
                f"The role {role} of this Postgres server belongs to the Palaestra in the database "
                f'"{noted["database"]}", which would lose its passwords: give this installation a server '
                "of its own, or the same VAR_DIR/secrets; or drop that database if nobody needs it.",
            )


def owner_note(cursor: CursorWrapper, *, passwords: Mapping[str, str]) -> None:
    """Record on each role that this installation now owns it."""
    database = _own_database(cursor)
    for role, password in passwords.items():
        comment = f'Palaestra in "{database}", {_fingerprint(password)}'
        statement = sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(role), sql.Literal(comment))
        cursor.execute(statement)


def _fingerprint(password: str) -> str:
    """Return a short hash, from which nobody can guess the password, since that is 32 random bytes."""
    return hashlib.sha256(f"palaestra role {password}".encode()).hexdigest()[:16]


def _own_database(cursor: CursorWrapper) -> str:
    cursor.execute("SELECT current_database()")
    return str(cursor.fetchone()[0])


def _exists(cursor: CursorWrapper, database: str) -> bool:
    cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database])
    return cursor.fetchone() is not None
