"""Postgres and Redis for one test run, removed completely afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gymsite.services import account, binaries, endpoints, postgres, redis, secrets

STOP_S = 5.0


@dataclass(frozen=True)
class TestServers:
    """The servers of a test run; ``var_dir`` holds the secrets of every role."""

    __test__ = False  # pytest would collect it by its name

    var_dir: Path

    @property
    def database_url(self) -> str:
        return endpoints.database_url(self.var_dir, role="owner")

    @property
    def redis_url(self) -> str:
        return endpoints.redis_url(self.var_dir)

    def password(self, role: str) -> str:
        return secrets.read(self.var_dir, "gym_" + role.removeprefix("gym_"))

    def role_url(self, role: str, *, database: str | None = None) -> str:
        """The address for ``arena``, ``lab`` or ``worker``, for ``database`` if given."""
        url = endpoints.database_url(self.var_dir, role=role)
        return url.replace(f"/{endpoints.DATABASE}?", f"/{database}?") if database else url


@contextlib.contextmanager
def embedded_services(var_dir: Path) -> Iterator[TestServers]:
    """Start both servers in a new folder under ``var_dir``; stop and remove them at the end.

    Parallel runs do not interfere, nothing is synced to disk, and folders of killed runs are removed.
    """
    var_dir.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(var_dir)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=var_dir)).resolve()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield from _running(folder)
        finally:
            _remove(folder)


def _running(folder: Path) -> Iterator[TestServers]:
    user = account.for_data(postgres.data_folder(folder))
    programs = binaries.binaries_find(user)
    endpoints.run_folder(folder).mkdir()
    (folder / "logs").mkdir()
    secrets.ensure_all(folder)
    folder.chmod(0o711)
    endpoints.socket_folder_make(folder, user)
    redis.prepare(folder, account=user)
    postgres.prepare(folder, bin_dir=programs.postgres_bin, account=user, is_disposable=True)
    with contextlib.ExitStack() as stack:
        logs = [
            stack.enter_context((folder / "logs" / name).open("ab")) for name in ("postgres.log", "redis.log")
        ]
        redis_server = redis.spawn(folder, program=programs.redis_server, account=user, log=logs[1].fileno())
        stack.callback(_stop, redis_server, signal.SIGTERM)
        database = postgres.spawn(
            folder, bin_dir=programs.postgres_bin, account=user, log=logs[0].fileno(), is_disposable=True
        )
        stack.callback(_stop, database, signal.SIGQUIT)
        redis.wait_ready(folder, redis_server)
        postgres.wait_ready(folder, database)
        yield TestServers(var_dir=folder)


def _stop(process: subprocess.Popen[bytes], signum: int) -> None:
    process.send_signal(signum)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _remove(folder: Path) -> None:
    sockets = endpoints.socket_folder(folder)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(sockets, ignore_errors=True)


def _remove_abandoned(var_dir: Path) -> None:
    """Remove folders whose lock is free, because their runs were killed."""
    for lock_path in var_dir.glob("run-*/lock"):
        with contextlib.suppress(OSError), lock_path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(lock_path.parent)
