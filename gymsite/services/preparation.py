"""Preparation of the database before the servers start: tables, roles, starter tasks, first login and key."""

from __future__ import annotations

import io
import secrets as random_source
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core import addresses
from gymsite.services import roles, secrets

FIRST_USER = "admin"
PASSWORD_BYTES = 12
FIRST_KEY_SCOPES = "read,trainer"
DEMO_KEY = "demo"
DEMO_KEY_SCOPES = "read,trainer,golds"


def database_use(url: str) -> None:
    """Point this process at the owner's database, whose address was unknown when the settings were read."""
    connection.close()
    connection.settings_dict.update(addresses.django_database(url))


def database_leave() -> None:
    """Close the owner's connection; nothing needs it while the servers run."""
    connection.close()


def migrations_apply() -> bool:
    """Bring the tables up to date; returns whether anything changed."""
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return False
    call_command("migrate", interactive=False, verbosity=0)
    return True


def roles_apply(var_dir: Path) -> None:
    roles.roles_apply(connection, var_dir=var_dir)


def starter_tasks_load() -> None:
    call_command("load_starter_tasks", stdout=io.StringIO())


def first_things() -> list[str]:
    """Create starter tasks, a login and a key, each once. Returns the lines to show this one time."""
    starter_tasks_load()
    lines = []
    if login := first_login():
        lines.append(f"login  {login[0]}  password {login[1]}  (shown only this once)")
    if key := first_key():
        lines.append(f"key    {key}  ({FIRST_KEY_SCOPES}; shown only this once)")
    return lines


def first_login() -> tuple[str, str] | None:
    """Name and password of a new superuser, or None if there is already a user."""
    people = get_user_model()
    if people.objects.exists():
        return None
    return FIRST_USER, login_create(name=FIRST_USER, is_superuser=True)


def login_create(*, name: str, is_superuser: bool) -> str:
    """Create a lab account; returns its random password, which is stored nowhere."""
    password = random_source.token_urlsafe(PASSWORD_BYTES)
    people = get_user_model().objects
    create = people.create_superuser if is_superuser else people.create_user
    create(username=name, password=password)
    return password


def first_key() -> str | None:
    """A new API key, or None if there is one already."""
    from trajectories.models import ApiKey

    if ApiKey.objects.exclude(name=DEMO_KEY).exists():
        return None
    return key_create(name="first", scopes=FIRST_KEY_SCOPES)


def demo_key_ensure(var_dir: Path) -> None:
    """Ensure that ``VAR_DIR/secrets/demo_key`` holds a key for ``make demo``; it may read golds."""
    from trajectories.models import ApiKey

    is_stored = (secrets.folder(var_dir) / "demo_key").exists()
    if not is_stored or not ApiKey.objects.filter(name=DEMO_KEY).exists():
        secrets.write(var_dir, "demo_key", key_create(name=DEMO_KEY, scopes=DEMO_KEY_SCOPES))


def key_create(*, name: str, scopes: str) -> str:
    output = io.StringIO()
    call_command("create_key", name=name, scopes=scopes, stdout=output)
    return output.getvalue().strip()
