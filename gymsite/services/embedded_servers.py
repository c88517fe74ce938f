"""The embedded Postgres and Redis, as children of the supervisor."""

from __future__ import annotations

import signal
from pathlib import Path

from gymsite.services import account, binaries, endpoints, parent_death, postgres, processes, redis
from gymsite.services.supervisor import Child, Supervisor


def start(var_dir: Path, supervisor: Supervisor, *, with_postgres: bool, with_redis: bool) -> None:
    """Start the requested servers in parallel and wait until they answer. Errors: those of each server."""
    if not (with_postgres or with_redis):
        return
    user = account.for_data(postgres.data_folder(var_dir))
    programs = binaries.binaries_find(user)
    endpoints.socket_folder_make(var_dir, user)
    redis_child = Child(
        "redis", lambda log: redis.spawn(var_dir, program=programs.redis_server, account=user, log=log)
    )
    postgres_child = Child(
        "postgres",
        lambda log: postgres.spawn(var_dir, bin_dir=programs.postgres_bin, account=user, log=log),
        stop_signal=signal.SIGINT,  # "fast": sessions are ended, nothing is lost
    )
    if with_redis:
        redis.prepare(var_dir, account=user)
    if with_postgres:
        postgres.prepare(var_dir, bin_dir=programs.postgres_bin, account=user)
    children = [(postgres_child, with_postgres), (redis_child, with_redis)]
    supervisor.start(*(child for child, is_requested in children if is_requested))
    if redis_child.process:
        redis.wait_ready(var_dir, redis_child.process)
    if postgres_child.process:
        postgres.wait_ready(var_dir, postgres_child.process)


def end_leftovers(var_dir: Path) -> None:
    """End processes that outlived a killed supervisor; they still carry its mark."""
    parent_death.end(parent_death.pids_with_environment(processes.MARK, str(var_dir)))
