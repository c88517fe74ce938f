"""`manage.py up`: starts everything in order and reports progress."""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Callable, Mapping

from django.db import connection

from core.queues import QUEUES
from gymsite.services import (
    buckets,
    embedded_servers,
    endpoints,
    external_servers,
    parent_death,
    postgres,
    preflight,
    preparation,
    processes,
    secrets,
)
from gymsite.services.processes import PROCESSES, Installation, Process
from gymsite.services.supervisor import Child, Stop, Supervisor, stoppable

READY_WARNING_S = 60.0
STAGE_GRACE_S = 4.0  # there are two stages, and everything stops within ten seconds
POLL_S = 0.1
HEALTH = {"arena": "/healthz", "live": "/wait/health", "lab": "/api/v1/health"}
HEALTH_TIMEOUT_S = 2.0
AWAITED_WORKERS = [queue.worker for queue in QUEUES if queue.is_awaited]
AWAITED = (*AWAITED_WORKERS, *HEALTH)
PROBED_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


def up(installation: Installation, *, say: Callable[[str], None]) -> None:
    """Start everything and keep it running until stopped. Errors: every part's own ``GymError``."""
    began_at = time.monotonic()
    preflight.folders_make(installation.var_dir)
    with contextlib.suppress(Stop), stoppable(), preflight.only_one(installation.var_dir):
        preflight.restore_check(installation.var_dir)
        preflight.disk_check(installation.var_dir)
        # Processes that outlived a killed supervisor still carry its mark.
        parent_death.end(parent_death.pids_with_environment(processes.MARK, str(installation.var_dir)))
        preflight.ports_probe(host=installation.host, ports=installation.ports)
        parent_death.become_subreaper()
        supervisor = Supervisor(logs_dir=installation.var_dir / "logs", say=say)
        try:
            _start(installation, supervisor, say=say)
            say(f"Ready in {time.monotonic() - began_at:.1f} s. Ctrl-C stops everything.")
            supervisor.run()
        except Stop:
            say("Stopping ...")
        finally:
            supervisor.stop(grace_s=STAGE_GRACE_S)
        say("Stopped.")


def _start(installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    var_dir = installation.var_dir
    secrets.ensure_all(var_dir)
    max_connections = _start_servers(installation, supervisor, say=say)
    preparation.database_use(installation.database_url or endpoints.database_url(var_dir, role="owner"))
    preparation.migrations_apply()
    preparation.roles_apply(connection, var_dir=var_dir)
    processes.ready_marks_clear(var_dir)
    sizes = processes.pool_sizes(max_connections)
    awaited, others = _children(installation, sizes)
    supervisor.start(*awaited)
    greeting = preparation.first_things()
    preparation.demo_key_ensure(var_dir)
    connection.close()  # nothing needs the owner's while the servers run
    _wait_ready(installation, supervisor, say=say)
    supervisor.start_more(*others)
    for name, address in installation.addresses.items():
        say(f"  {name:<6} {address}")
    for line in (*greeting, *preflight.missing_tools()):
        say(f"  {line}")


def _start_servers(installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]) -> int:
    """Start Postgres and Redis, or check the operator's own; returns Postgres' ``max_connections``."""
    max_connections = postgres.MAX_CONNECTIONS
    buckets.buckets_check(installation.settings)
    if installation.redis_url:
        external_servers.redis_check(installation.redis_url)
        if installation.sandbox_redis_url:
            external_servers.redis_check(installation.sandbox_redis_url)
        else:
            say("  worker-sandbox has all rights in Redis: SANDBOX_REDIS_URL, see docs/operations.md.")
    if installation.database_url:
        max_connections = external_servers.database_check(installation.database_url)
    elif not postgres.data_folder(installation.var_dir).exists():
        say(f"Creating a new installation in {installation.var_dir} ...")
    embedded_servers.start(
        installation.var_dir,
        supervisor,
        with_postgres=not installation.database_url,
        with_redis=not installation.redis_url,
    )
    return max_connections


def _children(installation: Installation, sizes: Mapping[str, int]) -> tuple[list[Child], list[Child]]:
    """What the installation waits for, and what starts once that is ready: further copies do."""
    awaited: list[Child] = []
    others: list[Child] = []
    for process in PROCESSES:
        env = processes.environment(process, installation, pool_size=sizes[process.name])
        first, *copies = (_child(name, process, env) for name in process.copy_names())
        (awaited if process.is_awaited else others).append(first)
        others += copies
    return awaited, others


def _child(name: str, process: Process, env: dict[str, str]) -> Child:
    command = processes.command_line(process)
    return Child(name, lambda log: parent_death.spawn(command, env=env, cwd=processes.BASE_DIR, log=log))


def _wait_ready(installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    """Wait until the workers are up and all servers answer; report every minute what is still missing.

    They are awaited one by one, the lab last, so that its health check logs no errors.
    """
    warn_at = time.monotonic() + READY_WARNING_S
    for name in AWAITED:
        while not _is_ready(name, installation):
            supervisor.watch_once()
            if time.monotonic() > warn_at:
                say(f"Still waiting for {name}: see {installation.var_dir / 'logs' / name}.log.")
                warn_at += READY_WARNING_S
            time.sleep(POLL_S)


def _is_ready(name: str, installation: Installation) -> bool:
    if name in AWAITED_WORKERS:
        return processes.ready_mark(installation.var_dir, name).exists()
    host = PROBED_HOSTS.get(installation.host, installation.host)
    port = installation.ports[f"{name.upper()}_PORT"]
    connection = http.client.HTTPConnection(host, port, timeout=HEALTH_TIMEOUT_S)
    try:
        connection.request("GET", HEALTH[name])
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
