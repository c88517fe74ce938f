"""The start of a whole installation, in order and with progress reports, for `manage.py up`."""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Callable
from functools import partial

from django.db import connection

from core.errors import GymError
from core.telemetry import exposition
from core.work.queues import QUEUES
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
    replicas,
    restarts,
    secrets,
)
from gymsite.services.processes import Installation, Process
from gymsite.services.supervisor import Child, Stop, Supervisor, handle_stops

READY_WARNING_S = 60.0
STAGE_GRACE_S = 4.0  # for each of two stages, so that everything stops within ten seconds
POLL_S = 0.1
HEALTH = {"arena": "/healthz", "live": "/wait/health", "lab": "/api/v1/health"}
HEALTH_TIMEOUT_S = 2.0
AWAITED_WORKERS = [queue.worker for queue in QUEUES if queue.is_awaited]
AWAITED = (*AWAITED_WORKERS, *HEALTH)
PROBED_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - only compared, never bound


def up(installation: Installation, *, say: Callable[[str], None]) -> None:
    """Start everything and keep it running until stopped. Raises the ``GymError`` of any part."""
    began_at = time.monotonic()
    preflight.folders_make(installation.var_dir)
    with contextlib.suppress(Stop), handle_stops(), preflight.lock_var_dir(installation.var_dir):
        preflight.restore_check(installation.var_dir)
        preflight.disk_check(installation.var_dir)
        # Processes that outlived a killed supervisor still have its mark in their environment.
        parent_death.end(parent_death.pids_with_environment(processes.MARK, str(installation.var_dir)))
        preflight.ports_probe(host=installation.host, ports=installation.ports)
        parent_death.become_subreaper()
        supervisor = Supervisor(
            logs_dir=installation.var_dir / "logs",
            say=say,
            note=partial(restarts.restarts_write, installation.var_dir),
        )
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
    processes.ready_marks_clear(var_dir)
    exposition.clear_slots(endpoints.metrics_folder(var_dir))
    if installation.is_replica:
        others, greeting = _start_replica(installation, supervisor, say=say)
    else:
        others, greeting = _start_first(installation, supervisor, say=say)
    _wait_ready(installation, supervisor, say=say)
    supervisor.start_more(*others)
    for name, address in installation.addresses.items():
        if any(process.name == name for process in installation.processes):
            say(f"  {name:<7} {address}")
    for line in (*greeting, *preflight.missing_tools()):
        say(f"  {line}")


def _start_first(
    installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]
) -> tuple[list[Child], list[str]]:
    """Prepare the database and start the awaited children; return the others, and lines to print."""
    var_dir = installation.var_dir
    secrets.ensure_all(var_dir)
    _start_servers(installation, supervisor, say=say)
    owner_url = installation.session_url or endpoints.database_url(var_dir, role="owner")
    preparation.database_use(owner_url)
    with preparation.prepare_alone(say):
        preparation.migrations_apply()
        preparation.roles_apply(connection, var_dir=var_dir)
        awaited, others = _children(installation, owner_url, say=say)
        supervisor.start(*awaited)
        greeting = preparation.first_things()
        preparation.demo_key_ensure(var_dir)
    return others, greeting


def _start_replica(
    installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]
) -> tuple[list[Child], list[str]]:
    """Start chosen processes once another host has prepared the database.

    Errors: ``no_servers``, ``no_secret``.
    """
    _replica_check(installation)
    role = installation.processes[0].role
    url = endpoints.role_url(installation.var_dir, owner_url=installation.session_url, role=role)
    external_servers.redis_check(installation.redis_url)
    replicas.prepared_wait(url, say=say)
    buckets.buckets_check(installation.settings)
    awaited, others = _children(installation, url, say=say)
    supervisor.start(*awaited)
    return others, []


def _replica_check(installation: Installation) -> None:
    """Refuse to start the chosen processes if settings or secrets are missing, and name all of those."""
    given = {"DATABASE_URL": installation.database_url, "REDIS_URL": installation.redis_url}
    if unset := [name for name, value in given.items() if not value]:
        raise GymError(
            "no_servers",
            f"--only needs {' and '.join(given)}, the same as on the host that runs everything; "
            f"{' and '.join(unset)} is not set.",
        )
    folder = secrets.folder(installation.var_dir)
    needed = {name for process in installation.processes for name in process.secret_names()}
    if missing := sorted(name for name in needed if not (folder / name).is_file()):
        raise GymError(
            "no_secret",
            f"Copy these files from VAR_DIR/secrets of the host that runs everything into {folder}: "
            f"{', '.join(missing)}.",
        )


def _start_servers(installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    """Start Postgres and Redis, or check the operator's own servers."""
    buckets.buckets_check(installation.settings)
    if installation.redis_url:
        external_servers.redis_check(installation.redis_url)
        if installation.sandbox_redis_url:
            external_servers.redis_check(installation.sandbox_redis_url)
        else:
            say("  worker-sandbox has all rights in Redis: set SANDBOX_REDIS_URL (docs/operations.md).")
    if installation.database_url:
        external_servers.database_check(installation.session_url)
    elif not postgres.data_folder(installation.var_dir).exists():
        say(f"Creating a new installation in {installation.var_dir} ...")
    embedded_servers.start(
        installation.var_dir,
        supervisor,
        with_postgres=not installation.database_url,
        with_redis=not installation.redis_url,
        slow_ms=installation.slow_statement_ms,
    )


def _children(
    installation: Installation, url: str, *, say: Callable[[str], None]
) -> tuple[list[Child], list[Child]]:
    """Return the children that the start waits for, and those that start later, such as further copies."""
    host = replicas.host_name(installation.var_dir)
    max_connections, elsewhere = replicas.read_connections(url, host=host)
    if elsewhere:
        hosts = ", ".join(f"{name} ({count})" for name, count in elsewhere.items())
        say(f"Of {max_connections} connections to Postgres, other hosts have reserved some: {hosts}.")
    sizes = processes.pool_sizes(max_connections, chosen=installation.processes, elsewhere=elsewhere)
    awaited: list[Child] = []
    others: list[Child] = []
    for process in installation.processes:
        size = sizes[process.name]
        session = replicas.session_name(process, pool_size=size, host=host)
        env = processes.environment(process, installation, pool_size=size, session=session)
        first, *copies = (_child(name, process, env) for name in process.copy_names())
        (awaited if process.is_awaited else others).append(first)
        others += copies
    return awaited, others


def _child(name: str, process: Process, env: dict[str, str]) -> Child:
    command = processes.command_line(process)
    return Child(name, lambda log: parent_death.spawn(command, env=env, cwd=processes.BASE_DIR, log=log))


def _wait_ready(installation: Installation, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    """Wait until the workers are up and all servers answer; report every minute what is still missing.

    They are awaited one by one, with the lab last, so that its health check does not log errors.
    """
    warn_at = time.monotonic() + READY_WARNING_S
    chosen = {process.name for process in installation.processes}
    for name in filter(chosen.__contains__, AWAITED):
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
