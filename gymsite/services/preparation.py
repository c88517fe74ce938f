"""Preparation of the database before the start: tables, roles, starter tasks, first login and key."""

from __future__ import annotations

import contextlib
import io
import secrets as random_source
from collections.abc import Callable, Iterator
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from core.database import addresses
from gymsite.services import builds, role_owners, secrets

# Each kind of process has a login of its own, with the grants in ``roles.sql``.
ROLES = ("gym_arena", "gym_lab", "gym_worker", "gym_sandbox", "gym_metrics")
GRANTS = Path(__file__).resolve().parent.parent / "roles.sql"
LOCK = 0x67796D  # advisory lock, because two concurrent starts must not both change the catalogue
FIRST_USER = "admin"
PASSWORD_BYTES = 12
FIRST_KEY_SCOPES = ["read", "trainer"]
DEMO_KEY = "demo"
DEMO_KEY_SCOPES = ["read", "trainer", "golds"]


def database_use(url: str) -> None:
    """Use the owner's database in this process; its address was not known when the settings were read."""
    connection.close()
    connection.settings_dict.update(addresses.django_database(url))


@contextlib.contextmanager
def prepare_alone(say: Callable[[str], None]) -> Iterator[None]:
    """Keep other hosts from preparing the same database; if one already is, say so and wait for it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        (is_locked,) = cursor.fetchone()
        if not is_locked:
            say("Another host is preparing the database; waiting for it.")
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        yield
    finally:
        connection.close()  # this frees the lock, even after a failure


def migrations_apply() -> bool:
    """Bring the tables up to date; return whether anything changed. Errors: ``database_of_other_build``."""
    builds.build_check(connection)
    with builds.failures_explained(connection):
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        call_command("migrate", interactive=False, verbosity=0)
    return True


def roles_apply(connection: BaseDatabaseWrapper, *, var_dir: Path) -> None:
    """Create the roles and the functions for the sandbox's worker, and apply ``roles.sql``.

    Passwords come from ``var_dir``. Everything happens in one transaction.

    Roles are server-wide; grants hold for the connection's database. Errors: ``no_secret``,
    ``roles_of_another_installation``, ``database_of_other_build``.
    """
    from trajectories.rollouts.judging import sandbox_sql

    passwords = {role: secrets.read(var_dir, role) for role in ROLES}
    with (
        builds.failures_explained(connection),
        transaction.atomic(using=connection.alias),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        role_owners.owner_check(cursor, passwords=passwords)
        for role, password in passwords.items():
            _role_make(cursor, role=role, password=password)
        role_owners.owner_note(cursor, passwords=passwords)
        _database_close(cursor)
        cursor.execute(sandbox_sql.functions_created())
        cursor.execute(GRANTS.read_text())
        builds.build_note(cursor)


def _role_make(cursor: CursorWrapper, *, role: str, password: str) -> None:
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
    verb = "ALTER" if cursor.fetchone() else "CREATE"
    statement = sql.SQL(
        "{verb} ROLE {role} LOGIN NOINHERIT NOCREATEDB NOCREATEROLE PASSWORD {password}"
    ).format(verb=sql.SQL(verb), role=sql.Identifier(role), password=sql.Literal(password))
    cursor.execute(statement)


def _database_close(cursor: CursorWrapper) -> None:
    """Let only our roles connect to the database, and let none of them create temporary tables."""
    cursor.execute("SELECT current_database()")
    (name,) = cursor.fetchone()
    database = sql.Identifier(name)
    roles = sql.SQL(", ").join(sql.Identifier(role) for role in ROLES)
    cursor.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
    cursor.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, roles))


def first_things() -> list[str]:
    """Create starter tasks, a login and a key, if there are none. Return lines that are shown only once."""
    from trajectories.models import ApiKey
    from trajectories.record.api import auth

    call_command("load_starter_tasks", stdout=io.StringIO())
    lines = []
    if not get_user_model().objects.exists():
        password = login_create(name=FIRST_USER, is_superuser=True)
        lines.append(f"login  {FIRST_USER}  password {password}  (shown only this once)")
    if not ApiKey.objects.exclude(name=DEMO_KEY).exists():
        key = auth.key_create(name="first", scopes=FIRST_KEY_SCOPES)
        lines.append(f"key    {key}  ({','.join(FIRST_KEY_SCOPES)}; shown only this once)")
    return lines


def login_create(
    *, name: str, is_superuser: bool, is_annotator: bool = False, is_adjudicator: bool = False
) -> str:
    """Create a lab account and return its random password, which is not stored anywhere."""
    from trajectories.shell import roles

    password = random_source.token_urlsafe(PASSWORD_BYTES)
    people = get_user_model().objects
    create = people.create_superuser if is_superuser else people.create_user
    user = create(username=name, password=password)
    if is_annotator:
        roles.annotator_make(user)
    if is_adjudicator:
        roles.adjudicator_make(user)
    return password


def demo_key_ensure(var_dir: Path) -> None:
    """Create a key for ``make demo``, which may read golds, in ``VAR_DIR/secrets/demo_key`` if needed."""
    from trajectories.models import ApiKey
    from trajectories.record.api import auth

    is_stored = (secrets.folder(var_dir) / "demo_key").exists()
    if not is_stored or not ApiKey.objects.filter(name=DEMO_KEY).exists():
        secrets.write(var_dir, "demo_key", auth.key_create(name=DEMO_KEY, scopes=DEMO_KEY_SCOPES))
