"""`manage.py up`: starts everything in order and reports progress."""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.queues import QUEUES
from gymsite.services import (
    embedded_servers,
    endpoints,
    external_servers,
    parent_death,
    ports,
    postgres,
    preflight,
    preparation,
    processes,
    secrets,
)
from gymsite.services.processes import PROCESSES, Installation, Process
from gymsite.services.roles import ROLES
from gymsite.services.supervisor import Child, Stop, Supervisor, stoppable

READY_WARNING_S = 60.0
STAGE_GRACE_S = 4.0  # there are two stages, and everything stops within ten seconds
POLL_S = 0.1
HEALTH = {"arena": "/healthz", "live": "/wait/health", "lab": "/api/v1/health"}
HEALTH_TIMEOUT_S = 2.0
AWAITED_WORKERS = [queue.worker for queue in QUEUES if queue.is_awaited]
AWAITED = (*AWAITED_WORKERS, *HEALTH)
PROBED_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


@dataclass(frozen=True)
class Options:
    """The operator's choices. An empty URL means the embedded server; children get the settings."""

    var_dir: Path
    host: str
    ports: Mapping[str, int]  # by setting: ARENA_PORT, LAB_PORT, LIVE_PORT
    addresses: Mapping[str, str]  # by process, as seen from outside
    database_url: str
    redis_url: str
    settings: Mapping[str, str]


def up(options: Options, *, say: Callable[[str], None]) -> None:
    """Start everything and keep it running until stopped. Errors: every part's own ``GymError``."""
    began_at = time.monotonic()
    preflight.folders_make(options.var_dir)
    with contextlib.suppress(Stop), stoppable(), preflight.only_one(options.var_dir):
        preflight.disk_check(options.var_dir)
        embedded_servers.end_leftovers(options.var_dir)
        ports.ports_probe(host=options.host, ports=options.ports)
        supervisor = Supervisor(logs_dir=options.var_dir / "logs", say=say)
        try:
            _start(options, supervisor, say=say)
            say(f"Ready in {time.monotonic() - began_at:.1f} s. Ctrl-C stops everything.")
            supervisor.run()
        except Stop:
            say("Stopping ...")
        finally:
            supervisor.stop(grace_s=STAGE_GRACE_S)
        say("Stopped.")


def _start(options: Options, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    var_dir = options.var_dir
    secrets.ensure_all(var_dir)
    max_connections = _start_servers(options, supervisor, say=say)
    preparation.database_use(options.database_url or endpoints.database_url(var_dir, role="owner"))
    preparation.migrations_apply()
    preparation.roles_apply(var_dir)
    processes.ready_marks_clear(var_dir)
    installation = _installation(options, max_connections=max_connections)
    children = {process: _child(process, installation, caller=options.settings) for process in PROCESSES}
    supervisor.start(*(child for process, child in children.items() if process.is_awaited))
    greeting = preparation.first_things()
    preparation.demo_key_ensure(var_dir)
    preparation.database_leave()
    _wait_ready(options, supervisor, say=say)
    supervisor.start_more(*(child for process, child in children.items() if not process.is_awaited))
    for name, address in options.addresses.items():
        say(f"  {name:<6} {address}")
    for line in (*greeting, *preflight.missing_tools()):
        say(f"  {line}")


def _start_servers(options: Options, supervisor: Supervisor, *, say: Callable[[str], None]) -> int:
    """Start Postgres and Redis, or check the operator's own; returns Postgres' ``max_connections``."""
    max_connections = postgres.MAX_CONNECTIONS
    if options.redis_url:
        external_servers.redis_check(options.redis_url)
    if options.database_url:
        max_connections = external_servers.database_check(options.database_url)
    elif not postgres.data_folder(options.var_dir).exists():
        say(f"Creating a new installation in {options.var_dir} ...")
    embedded_servers.start(
        options.var_dir, supervisor, with_postgres=not options.database_url, with_redis=not options.redis_url
    )
    return max_connections


def _installation(options: Options, *, max_connections: int) -> Installation:
    var_dir = options.var_dir
    return Installation(
        var_dir=var_dir,
        host=options.host,
        ports=options.ports,
        database_urls={role: _role_url(options, role) for role in ROLES},
        redis_url=options.redis_url or endpoints.redis_url(var_dir),
        secret_keys={name: secrets.read(var_dir, name) for name in secrets.KEYS},
        token_key=secrets.read(var_dir, "token_key"),
        world_salt=secrets.read(var_dir, "world_salt"),
        pool_sizes=processes.pool_sizes(max_connections),
    )


def _role_url(options: Options, role: str) -> str:
    if not options.database_url:
        return endpoints.database_url(options.var_dir, role=role)
    return endpoints.with_role(options.database_url, role=role, password=secrets.read(options.var_dir, role))


def _child(process: Process, installation: Installation, *, caller: Mapping[str, str]) -> Child:
    env = processes.environment(process, installation, caller=caller)
    command = processes.command_line(process)
    return Child(
        process.name, lambda log: parent_death.spawn(command, env=env, cwd=processes.BASE_DIR, log=log)
    )


def _wait_ready(options: Options, supervisor: Supervisor, *, say: Callable[[str], None]) -> None:
    """Wait until the workers are up and all servers answer; report every minute what is still missing.

    They are awaited one by one, the lab last, so that its health check logs no errors.
    """
    warn_at = time.monotonic() + READY_WARNING_S
    for name in AWAITED:
        while not _is_ready(name, options):
            supervisor.watch_once()
            if time.monotonic() > warn_at:
                say(f"Still waiting for {name}: see {options.var_dir / 'logs' / name}.log.")
                warn_at += READY_WARNING_S
            time.sleep(POLL_S)


def _is_ready(name: str, options: Options) -> bool:
    if name in AWAITED_WORKERS:
        return processes.ready_mark(options.var_dir, name).exists()
    host = PROBED_HOSTS.get(options.host, options.host)
    port = options.ports[f"{name.upper()}_PORT"]
    connection = http.client.HTTPConnection(host, port, timeout=HEALTH_TIMEOUT_S)
    try:
        connection.request("GET", HEALTH[name])
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
