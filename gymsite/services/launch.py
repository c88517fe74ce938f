"""`python -m gymsite.services.launch NAME`: runs one process of the table in this container.

Containers get addresses without passwords, and their own secrets as files in ``VAR_DIR/secrets``.
The name ``setup`` prepares the database as its owner and exits.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from core.errors import GymError, did_you_mean
from gymsite.services import endpoints, processes, secrets
from gymsite.services.processes import PROCESSES, Process

SETUP = Process(
    name="setup",
    kind="manage",
    role="gym_owner",
    command=("manage.py", "prepare"),
    key_file="secret_key",
    pools=0,
    pool_max=0,
    has_world_salt=True,
    has_redis=False,
)


def launch_environment(process: Process, caller: dict[str, str]) -> dict[str, str]:
    """The caller's environment plus the process's own secrets. Errors: ``no_secret``."""
    var_dir = Path(caller["VAR_DIR"])
    password = secrets.read(var_dir, process.role)
    added = {
        "GYM_PROCESS": process.kind,
        "DATABASE_URL": endpoints.with_role(caller["DATABASE_URL"], role=process.role, password=password),
        "GYM_SECRET_KEY": secrets.read(var_dir, process.key_file),
        "DJANGO_SETTINGS_MODULE": "gymsite.settings",
    }
    if process.pool_max:
        added["DATABASE_POOL_MAX"] = str(process.pool_max)
    if process.has_token_key:
        added["GYM_TOKEN_KEY"] = secrets.read(var_dir, "token_key")
    if process.has_world_salt:
        added["GYM_WORLD_SALT"] = secrets.read(var_dir, "world_salt")
    if process.has_redis:
        added["REDIS_URL"] = _with_password(caller["REDIS_URL"], secrets.read(var_dir, "redis"))
    return caller | added


def main(name: str) -> None:
    table = {process.name: process for process in (*PROCESSES, SETUP)}
    if name not in table:
        sys.exit(f"There is no process {name!r}. {did_you_mean(name, table)}")
    try:
        environment = launch_environment(table[name], dict(os.environ))
    except GymError as error:
        sys.exit(error.message)
    os.chdir(processes.BASE_DIR)
    os.execve(sys.executable, processes.command_line(table[name]), environment)  # noqa: S606 - no shell


def _with_password(url: str, password: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f":{quote(password, safe='')}@{place}"))


if __name__ == "__main__":
    main(sys.argv[1])
