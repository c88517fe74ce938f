"""Postgres and Redis for one test run, removed completely afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gymsite.services import embedded_servers, endpoints, secrets
from gymsite.services.supervisor import Supervisor
from tests import database_template

STOP_S = 5.0


@dataclass(frozen=True)
class TestServers:
    """The servers of a test run; ``var_dir`` contains every role's secrets."""

    __test__ = False  # otherwise pytest would collect this class because of its name

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
        """Return the URL with which ``arena``, ``lab`` or ``worker`` connects, to ``database`` if given."""
        url = endpoints.database_url(self.var_dir, role=role)
        return url.replace(f"/{endpoints.DATABASE}?", f"/{database}?") if database else url


@contextlib.contextmanager
def embedded_services(var_dir: Path, *, is_migrated: bool = False) -> Iterator[TestServers]:
    """Start both servers in a new folder under ``var_dir``; stop and remove them at the end.

    The database is empty unless ``is_migrated``. Parallel runs do not interfere with each other, nothing is
    synced to disk, and the folders of killed runs are removed.
    """
    var_dir.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(var_dir)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=var_dir)).resolve()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield from _running(folder, is_migrated=is_migrated)
        finally:
            _remove(folder)


def _running(folder: Path, *, is_migrated: bool) -> Iterator[TestServers]:
    endpoints.run_folder(folder).mkdir()
    (folder / "logs").mkdir()
    if is_migrated:
        database_template.data_copy(folder)
    secrets.ensure_all(folder)
    folder.chmod(0o711)
    supervisor = Supervisor(logs_dir=folder / "logs", say=print)
    try:
        embedded_servers.start(folder, supervisor, is_disposable=True)
        yield TestServers(var_dir=folder)
    finally:
        supervisor.stop(grace_s=STOP_S)


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
