"""The embedded Postgres and Redis, which run as children of the supervisor."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import GymError
from gymsite.services import account, binaries, endpoints, postgres, redis
from gymsite.services.supervisor import Child, Supervisor

READY_S = 60.0  # recovery after a crash may take this long
POLL_S = 0.03


def start(
    var_dir: Path,
    supervisor: Supervisor,
    *,
    with_postgres: bool = True,
    with_redis: bool = True,
    is_disposable: bool = False,
    slow_ms: int = postgres.NEVER,
) -> None:
    """Start the requested servers in parallel and wait until they answer.

    If ``is_disposable``, data is not synced to disk. Postgres logs statements that take ``slow_ms`` or more.
    Errors: those of each server, ``postgres_not_started``, ``redis_not_started``.
    """
    if not (with_postgres or with_redis):
        return
    user = account.for_data(postgres.data_folder(var_dir))
    programs = binaries.binaries_find(user)
    endpoints.socket_folder_make(var_dir, user)
    waits: list[tuple[Child, Callable[[Path], bool]]] = []
    if with_redis:
        redis.prepare(var_dir, account=user)
        program = programs.redis_server
        child = Child("redis", lambda log: redis.spawn(var_dir, program=program, account=user, log=log))
        waits.append((child, redis.is_ready))
    if with_postgres:
        options: dict[str, Any] = {"bin_dir": programs.postgres_bin, "account": user}
        options["is_disposable"] = is_disposable
        postgres.prepare(var_dir, **options)
        # "Fast" ends sessions without losing data. Disposable data need not even be written.
        stop_signal = signal.SIGQUIT if is_disposable else signal.SIGINT
        spawn = partial(postgres.spawn, var_dir, slow_ms=slow_ms, **options)
        child = Child("postgres", lambda log: spawn(log=log), stop_signal)
        waits.append((child, postgres.is_ready))
    supervisor.start(*(child for child, _ in waits))
    for child, is_ready in waits:
        _wait(var_dir, child, is_ready)


def _wait(var_dir: Path, child: Child, is_ready: Callable[[Path], bool]) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline and child.process and child.process.poll() is None:
        if is_ready(var_dir):
            return
        time.sleep(POLL_S)
    log = var_dir / "logs" / f"{child.name}.log"
    raise GymError(f"{child.name}_not_started", f"{child.name.capitalize()} did not start: see {log}.")
