"""Postgres data with all migrations applied, made once per state of the code and copied by every test run.

Creating and migrating the data takes 5 CPU seconds; copying it takes a fraction of a second.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gymsite.services import embedded_servers, endpoints, postgres, secrets
from gymsite.services.processes import BASE_DIR
from gymsite.services.supervisor import Supervisor

FOLDER = BASE_DIR / "var" / "test"
# Everything that migrations import and `post_migrate` reads. If a file is missing here, the data may be
# outdated, but the test run's own `migrate` then updates it.
SOURCES = (
    *("*/migrations/*.py", "*/models.py", "*/models/*.py", "core/*.py", "core/*.toml"),
    *("gymsite/services/postgres.py", "requirements.txt"),
)
STOP_S = 20.0


def data_copy(var_dir: Path) -> None:
    """Copy the migrated data, and the password of its owner, to an installation that has never started."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        template = _template()
        secrets.folder(var_dir).mkdir(mode=0o700, parents=True, exist_ok=True)
        secrets.write(var_dir, postgres.OWNER, secrets.read(template, postgres.OWNER))
        # The data may belong to another user, under which Postgres runs.
        _copy(postgres.data_folder(template), postgres.data_folder(var_dir))


def _copy(data: Path, to: Path) -> None:
    subprocess.run(["cp", "--archive", "--reflink=auto", data, to], check=True)


def _template() -> Path:
    """Return the folder for this state of the code; if it is missing, make it and remove older ones."""
    template = FOLDER / f"template-{_state()}"
    if not template.exists():
        for other in FOLDER.glob("template-*"):
            shutil.rmtree(other)
        half = FOLDER / "template-half"
        shutil.rmtree(half, ignore_errors=True)  # left by a run that was killed
        _make(half)
        half.rename(template)
    return template


def _state() -> str:
    digest = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in BASE_DIR.glob(pattern)):
        digest.update(f"{path.relative_to(BASE_DIR)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _make(folder: Path) -> None:
    with _started(folder):
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            cwd=BASE_DIR,
            env={
                **os.environ,
                "GYM_PROCESS": "manage",
                "VAR_DIR": str(folder),
                "DATABASE_URL": endpoints.database_url(folder, role="owner"),
            },
            check=True,
        )


@contextlib.contextmanager
def _started(folder: Path) -> Iterator[None]:
    """Run a Postgres in the folder and shut it down cleanly, so that copies of it need no recovery."""
    secrets.ensure_all(folder)
    endpoints.run_folder(folder).mkdir()
    (folder / "logs").mkdir()
    folder.chmod(0o711)
    supervisor = Supervisor(logs_dir=folder / "logs", say=print)
    try:
        embedded_servers.start(folder, supervisor, with_redis=False)
        yield
    finally:
        supervisor.stop(grace_s=STOP_S)
        shutil.rmtree(endpoints.socket_folder(folder), ignore_errors=True)
