"""The processes of one installation, in one table that `manage.py up` and docker compose share."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import GymError
from core.queues import QUEUES, Queue
from gymsite.services import endpoints

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# Set in every descendant's environment, so that the next start finds any that outlived a killed supervisor.
MARK = "GYM_SUPERVISED"
SYSTEM_NAMES = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONWARNINGS",
)
# Set only where a process's row says so, never copied from the caller's environment.
SECRET_NAMES = ("DATABASE_URL", "REDIS_URL", "GYM_SECRET_KEY", "GYM_TOKEN_KEY", "GYM_WORLD_SALT")
# Connections left for psql, manage.py and Postgres' own reserve.
SPARE_CONNECTIONS = 10


@dataclass(frozen=True)
class Process:
    """One row: ``pools`` operating-system processes with up to ``pool_max`` connections each."""

    name: str
    kind: str
    role: str
    command: tuple[str, ...]
    key_file: str
    pools: int
    pool_max: int
    port: str = ""
    has_token_key: bool = False
    has_world_salt: bool = False
    has_redis: bool = True
    is_awaited: bool = True  # the others start once everything else is ready
    queue: Queue | None = None

    def pool_count(self) -> int:
        """A worker's count depends on settings, which are read only when needed."""
        return self.queue.process_count() if self.queue else self.pools


def _worker(queue: Queue) -> Process:
    return Process(
        name=queue.worker,
        kind="worker",
        role="gym_worker",
        command=("-m", "gymsite.services.worker", queue.id),
        key_file="secret_key_worker",
        pools=0,
        pool_max=queue.connections,
        has_world_salt=queue.has_world_salt,
        is_awaited=queue.is_awaited,
        queue=queue,
    )


PROCESSES = (
    Process(
        name="arena",
        kind="arena",
        role="gym_arena",
        command=("-m", "gymsite.services.server", "arena"),
        key_file="secret_key_arena",
        pools=2,
        pool_max=4,
        port="ARENA_PORT",
        has_token_key=True,
        has_world_salt=True,
        has_redis=False,
    ),
    Process(
        name="lab",
        kind="lab",
        role="gym_lab",
        command=("-m", "gymsite.services.server", "lab"),
        key_file="secret_key",
        pools=2,
        pool_max=4,
        port="LAB_PORT",
        has_token_key=True,
        has_world_salt=True,
    ),
    Process(
        name="live",
        kind="live",
        role="gym_lab",
        command=("-m", "gymsite.services.server", "live"),
        key_file="secret_key",
        pools=1,
        pool_max=4,
        port="LIVE_PORT",
    ),
    Process(
        name="sweeper",
        kind="sweeper",
        role="gym_worker",
        command=("manage.py", "sweep"),
        key_file="secret_key_worker",
        pools=1,
        pool_max=2,
    ),
    *map(_worker, QUEUES),
)


@dataclass(frozen=True)
class Installation:
    """The values that complete the rows: addresses with passwords, and keys."""

    var_dir: Path
    host: str
    ports: Mapping[str, int]
    database_urls: Mapping[str, str]
    redis_url: str
    secret_keys: Mapping[str, str]
    token_key: str
    world_salt: str
    pool_sizes: Mapping[str, int]


def environment(process: Process, installation: Installation, *, caller: Mapping[str, str]) -> dict[str, str]:
    """A process's whole environment: the documented settings, and only its own secrets."""
    names = (*SYSTEM_NAMES, *settings_documented())
    passed = {name: caller[name] for name in names if name in caller and name not in SECRET_NAMES}
    passed |= {name: str(port) for name, port in installation.ports.items()}
    passed |= {
        "GYM_PROCESS": process.kind,
        "GYM_HOST": installation.host,
        MARK: str(installation.var_dir),
        "VAR_DIR": str(installation.var_dir),
        "DATABASE_URL": installation.database_urls[process.role],
        "DATABASE_POOL_MAX": str(installation.pool_sizes[process.name]),
        "GYM_SECRET_KEY": installation.secret_keys[process.key_file],
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "gymsite.settings",
    }
    if process.has_token_key:
        passed["GYM_TOKEN_KEY"] = installation.token_key
    if process.has_world_salt:
        passed["GYM_WORLD_SALT"] = installation.world_salt
    if process.has_redis:
        passed["REDIS_URL"] = installation.redis_url
    return passed


def command_line(process: Process) -> list[str]:
    return [sys.executable, *process.command]


def settings_documented() -> list[str]:
    """Every setting that an operator may set: the names in ``.env.example``."""
    return re.findall(r"^#? ?([A-Z][A-Z0-9_]+)=", (BASE_DIR / ".env.example").read_text(), re.MULTILINE)


def pool_sizes(max_connections: int) -> dict[str, int]:
    """How many connections each pool may hold, so that all pools together fit the server.

    Pools shrink in proportion, to at least one connection each. Errors: ``too_few_connections``.
    """
    free = max_connections - SPARE_CONNECTIONS
    least = sum(process.pool_count() for process in PROCESSES)
    if free < least:
        raise GymError(
            "too_few_connections",
            f"The Postgres server allows {max_connections} connections and at least "
            f"{least + SPARE_CONNECTIONS} are needed: raise max_connections, or lower SANDBOXES.",
        )
    extra = sum(process.pool_count() * (process.pool_max - 1) for process in PROCESSES)
    share = min(1.0, (free - least) / extra)
    return {process.name: 1 + int((process.pool_max - 1) * share) for process in PROCESSES}


def ready_mark(var_dir: Path, name: str) -> Path:
    """The file that a worker creates once it takes jobs, so that a start can wait for it without Redis."""
    return endpoints.run_folder(var_dir) / f"{name}.ready"


def ready_marks_clear(var_dir: Path) -> None:
    for mark in endpoints.run_folder(var_dir).glob("*.ready"):
        mark.unlink(missing_ok=True)
