"""`python -m gymsite.services.launch NAME`: run one process of the table in this container.

Containers get addresses without passwords, and their own secrets as files in ``VAR_DIR/secrets``. With the
name ``setup`` the database is prepared as its owner; ``manage COMMAND ...`` runs a management command with
the same secrets.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.errors import GymError
from gymsite.services import endpoints, processes, replicas, secrets
from gymsite.services.processes import PROCESSES, Process
from palaestra.protocol.suggestions import did_you_mean

KEYS = (*processes.S3_KEYS, *processes.ARENA_S3_KEYS, processes.JUDGE_KEY, processes.JUDGE_KEYS)
SETUP = Process(
    name="setup",
    kind="manage",
    role="gym_owner",
    command=("manage.py", "prepare"),
    has_token_key=True,
    has_world_salt=True,
    has_redis=False,
    has_files=True,
)
MANAGE = replace(SETUP, name="manage", command=("manage.py",))


def launch_environment(process: Process, caller: dict[str, str]) -> dict[str, str]:
    """Return the caller's environment with the process's own secrets added. Errors: ``no_secret``."""
    var_dir = Path(caller["VAR_DIR"])
    redis_url = ""
    if process.has_redis:
        password = secrets.read(var_dir, endpoints.redis_secret(process.redis_user))
        redis_url = endpoints.with_login(caller["REDIS_URL"], user=process.redis_user, password=password)
    own = processes.own_settings(
        process,
        var_dir=var_dir,
        database_url=caller["DATABASE_URL"],
        direct_url=caller.get("DATABASE_DIRECT_URL", ""),
        redis_url=redis_url,
    )
    if process.pool_max:
        own["DATABASE_POOL_MAX"] = str(process.pool_max)
        # A container runs only one of the row's copies.
        alone = replace(process, copies=1)
        host = replicas.host_name(var_dir)
        own["DATABASE_SESSION"] = replicas.session_name(alone, pool_size=process.pool_max, host=host)
    keys = processes.file_keys(process, var_dir=var_dir, caller=caller)
    keys |= processes.judge_keys(process, caller)
    # The caller's keys that this process does not own are not passed on.
    return {name: value for name, value in caller.items() if name not in KEYS} | own | keys


def main(name: str, *words: str) -> None:
    """Run the named process, or for ``manage`` the management command and arguments in ``words``."""
    table = {process.name: process for process in (*PROCESSES, SETUP, MANAGE)}
    if name not in table:
        sys.exit(f"There is no process {name!r}. {did_you_mean(name, table)}")
    try:
        environment = launch_environment(table[name], dict(os.environ))
    except GymError as error:
        sys.exit(error.message)
    if words and table[name] is not MANAGE:
        sys.exit(f"{name} takes no arguments: `manage {' '.join(words)}` runs a management command.")
    if table[name] not in (SETUP, MANAGE):
        url = environment.get("DATABASE_DIRECT_URL") or environment["DATABASE_URL"]
        say = partial(print, flush=True)
        replicas.prepared_wait(url, say=say)
        if overbooked := replicas.warn_overbooked(url):
            say(overbooked)
    os.chdir(processes.BASE_DIR)
    command = [*processes.command_line(table[name]), *words]
    os.execve(sys.executable, command, environment)  # noqa: S606 - no shell


if __name__ == "__main__":
    main(*sys.argv[1:] or ["manage"])
