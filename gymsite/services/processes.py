"""Table of an installation's processes, used by both `manage.py up` and docker compose."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import GymError
from core.work.queues import JUDGES, QUEUES, Queue
from gymsite.services import endpoints, secrets
from palaestra.protocol.suggestions import did_you_mean

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# This is in the environment of all descendants, so that the next start finds those that outlived a killed
# supervisor.
MARK = "GYM_SUPERVISED"
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONWARNINGS")
# These are set only for processes whose row says so, and never copied from the caller's environment.
S3_KEYS = ("S3_ACCESS_KEY", "S3_SECRET_KEY")
ARENA_S3_KEYS = tuple(f"ARENA_{name}" for name in S3_KEYS)
# Only workers get these: the first is for the model that annotates, the second for the judges' worker.
JUDGE_KEY, JUDGE_KEYS = "ANNOTATION_JUDGE_KEY", "JUDGE_KEYS"
SECRET_NAMES = (
    *(JUDGE_KEY, JUDGE_KEYS),
    *("DATABASE_URL", "DATABASE_DIRECT_URL", "REDIS_URL", "SANDBOX_REDIS_URL"),
    *("GYM_SECRET_KEY", "GYM_TOKEN_KEY", "GYM_WORLD_SALT"),
    *S3_KEYS,
    *ARENA_S3_KEYS,
)
METRICS = "metrics"
# Connections left over for psql, manage.py and Postgres's own reserve.
SPARE_CONNECTIONS = 10


@dataclass(frozen=True, kw_only=True)
class Process:
    """Row of the table. ``copies`` run side by side, each as ``pools`` operating-system processes.

    Each of these has a pool of up to ``pool_max`` database connections, and ``fixed`` further ones."""

    name: str
    kind: str
    role: str
    command: tuple[str, ...]
    key_file: str = "secret_key"
    pools: int = 0
    pool_max: int = 0
    fixed: int = 0
    has_token_key: bool = False
    has_world_salt: bool = False
    has_redis: bool = True
    has_files: bool = False
    redis_user: str = ""
    is_awaited: bool = True  # those not awaited start once everything else is ready
    queue: Queue | None = None
    copies: int = 1

    def pool_count(self) -> int:
        """Return the number of connection pools; a worker's depends on settings, which are read only now."""
        return self.copies * (self.queue.process_count() if self.queue else self.pools)

    def secret_names(self) -> list[str]:
        """List the files in ``VAR_DIR/secrets`` that the process reads, except for Redis's password."""
        keys = {"token_key": self.has_token_key, "world_salt": self.has_world_salt}
        return [self.role, self.key_file, *(name for name, is_needed in keys.items() if is_needed)]

    def copy_names(self) -> list[str]:
        """List the names of the copies: the row's name, then that name with each further copy's number."""
        return [self.name, *(f"{self.name}-{number}" for number in range(2, self.copies + 1))]


def _server(name: str, **row: Any) -> Process:
    command = ("-m", "gymsite.services.server", name)
    return Process(name=name, kind=name, command=command, **row)


def _periodic(name: str, *, command: str, **row: Any) -> Process:
    """Build the row of a periodic process, which works only while it holds a lock."""
    return Process(
        name=name,
        kind=name,
        role="gym_worker",
        command=("manage.py", command),
        key_file="secret_key_worker",
        pools=1,
        pool_max=1,
        fixed=1,  # this connection holds the lock, and listens
        **row,
    )


def _worker(queue: Queue) -> Process:
    return Process(
        name=queue.worker,
        kind="worker",
        role=queue.role,
        redis_user=queue.redis_user,
        command=("-m", "gymsite.services.worker", queue.id),
        key_file="secret_key_worker",
        pool_max=queue.connections,
        fixed=int(queue.has_lock),
        has_world_salt=queue.has_world_salt,
        has_files=queue.has_files,
        is_awaited=queue.is_awaited,
        queue=queue,
        copies=queue.copies,
    )


PROCESSES = (
    _server(
        "arena",
        role="gym_arena",
        key_file="secret_key_arena",
        pools=2,
        pool_max=6,  # for arena and lab, as many as their threads that query
        has_token_key=True,
        has_world_salt=True,
        has_redis=False,
        has_files=True,
    ),
    _server(
        "lab", role="gym_lab", pools=2, pool_max=13, has_token_key=True, has_world_salt=True, has_files=True
    ),
    _server("live", role="gym_lab", pools=1, pool_max=4),
    _periodic("sweeper", command="sweep"),
    _periodic("housekeeper", command="housekeep", has_files=True, is_awaited=False),
    *map(_worker, QUEUES),
    Process(
        name=METRICS,
        kind=METRICS,
        role="gym_metrics",
        command=("-m", "gymsite.services.metrics"),
        key_file="secret_key_worker",
        pools=1,
        pool_max=2,  # one for each source in the database
        is_awaited=False,
    ),
)


def processes_chosen(names: str) -> tuple[Process, ...]:
    """Return the rows named in a comma-separated list. Errors: ``no_such_process``."""
    table = {process.name: process for process in PROCESSES}
    for name in names.split(","):
        if name not in table:
            raise GymError("no_such_process", f"There is no process {name!r}. {did_you_mean(name, table)}")
    return tuple(table[name] for name in names.split(","))


@dataclass(frozen=True, kw_only=True)
class Installation:
    """The operator's choices. An empty URL means the embedded server; ``settings`` are for the children."""

    var_dir: Path
    host: str
    ports: Mapping[str, int]  # by setting: ARENA_PORT, LAB_PORT, LIVE_PORT, and METRICS_PORT unless it is 0
    addresses: Mapping[str, str]  # by process, as seen from outside
    database_url: str = ""
    direct_url: str = ""
    redis_url: str = ""
    sandbox_redis_url: str = ""  # address of ``redis_url`` for the login with few rights
    slow_statement_ms: int
    settings: Mapping[str, str]
    processes: tuple[Process, ...] = PROCESSES
    is_replica: bool = False  # whether another host prepares the database

    @property
    def session_url(self) -> str:
        """The owner's address of the server itself, bypassing any pooler."""
        return self.direct_url or self.database_url


def environment(
    process: Process, installation: Installation, *, pool_size: int, session: str = ""
) -> dict[str, str]:
    """Build a process's complete environment, with the documented settings and only its own secrets."""
    var_dir, caller = installation.var_dir, installation.settings
    names = (*INHERITED, *settings_documented())
    passed = {name: caller[name] for name in names if name in caller and name not in SECRET_NAMES}
    passed |= {name: str(port) for name, port in installation.ports.items()}
    passed |= {
        "GYM_HOST": installation.host,
        MARK: str(var_dir),
        "VAR_DIR": str(var_dir),
        "DATABASE_POOL_MAX": str(pool_size),
        "DATABASE_SESSION": session or process.kind,
        "PYTHONUNBUFFERED": "1",
    }
    own = own_settings(
        process,
        var_dir=var_dir,
        database_url=installation.database_url,
        direct_url=installation.direct_url,
        redis_url=_redis_url(process, installation),
    )
    return passed | own | judge_keys(process, caller) | file_keys(process, var_dir=var_dir, caller=caller)


def judge_keys(process: Process, caller: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of the models that label and judge, if the process is a worker that calls them."""
    is_judging = process.kind == "worker" and process.role == "gym_worker"
    names = {JUDGE_KEY: is_judging, JUDGE_KEYS: process.queue == JUDGES}
    return {name: caller[name] for name, is_given in names.items() if is_given and caller.get(name)}


def _redis_url(process: Process, installation: Installation) -> str:
    if not installation.redis_url:
        return endpoints.redis_url(installation.var_dir, user=process.redis_user)
    return (installation.sandbox_redis_url if process.redis_user else "") or installation.redis_url


def own_settings(
    process: Process, *, var_dir: Path, database_url: str, direct_url: str, redis_url: str
) -> dict[str, str]:
    """Return the settings that only this process may know, with secrets from ``var_dir``.

    ``database_url`` is the owner's, or "" for the embedded server. ``direct_url`` is "" if there is no
    pooler. Errors: ``no_secret``.
    """
    own = {
        "GYM_PROCESS": process.kind,
        "DJANGO_SETTINGS_MODULE": "gymsite.settings",
        "DATABASE_URL": endpoints.role_url(var_dir, owner_url=database_url, role=process.role),
        "GYM_SECRET_KEY": secrets.read(var_dir, process.key_file),
    }
    if direct_url:
        own["DATABASE_DIRECT_URL"] = endpoints.role_url(var_dir, owner_url=direct_url, role=process.role)
    if process.has_token_key:
        own["GYM_TOKEN_KEY"] = secrets.read(var_dir, "token_key")
    if process.has_world_salt:
        own["GYM_WORLD_SALT"] = secrets.read(var_dir, "world_salt")
    if process.has_redis:
        own["REDIS_URL"] = redis_url
    return own


def file_keys(process: Process, *, var_dir: Path, caller: Mapping[str, str]) -> dict[str, str]:
    """Return the buckets' keys for a process with files, from the caller's settings or the secrets' folder.

    The arena gets separate keys, if there are any.
    """
    if not process.has_files:
        return {}
    for names in (ARENA_S3_KEYS, S3_KEYS) if process.kind == "arena" else (S3_KEYS,):
        values = [caller.get(name) or secrets.read_or_empty(var_dir, name.lower()) for name in names]
        if any(values):
            return dict(zip(S3_KEYS, values, strict=True))
    return {}


def command_line(process: Process) -> list[str]:
    return [sys.executable, *process.command]


def settings_documented() -> list[str]:
    """List every setting that an operator may set: the names in ``.env.example``."""
    return re.findall(r"^#? ?([A-Z][A-Z0-9_]+)=", (BASE_DIR / ".env.example").read_text(), re.MULTILINE)


def pool_sizes(
    max_connections: int, *, chosen: Sequence[Process] = PROCESSES, elsewhere: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return the number of connections per pool with which all pools together fit the server.

    Pools shrink in proportion, but to no fewer than one connection. ``elsewhere`` gives the connections that
    other hosts have reserved, by host. Errors: ``too_few_connections``.
    """
    elsewhere = elsewhere or {}
    free = max_connections - SPARE_CONNECTIONS - sum(elsewhere.values())
    least = sum(process.pool_count() * (1 + process.fixed) for process in chosen)
    if free < least:
        hosts = "".join(f", {count} are reserved by {host}" for host, count in elsewhere.items())
        raise GymError(
            "too_few_connections",
            f"The Postgres server allows {max_connections} connections{hosts}, and at least "
            f"{least + SPARE_CONNECTIONS} are needed here: raise max_connections, or lower SANDBOXES.",
        )
    extra = sum(process.pool_count() * (process.pool_max - 1) for process in chosen)
    share = min(1.0, (free - least) / extra) if extra else 1.0
    return {process.name: 1 + int((process.pool_max - 1) * share) for process in chosen}


def ready_mark(var_dir: Path, name: str) -> Path:
    """Return the file that a worker creates once it takes jobs, so that a start can wait without Redis."""
    return endpoints.run_folder(var_dir) / f"{name}.ready"


def ready_marks_clear(var_dir: Path) -> None:
    for mark in endpoints.run_folder(var_dir).glob("*.ready"):
        mark.unlink(missing_ok=True)
