from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from gymsite.services import embedded_servers, endpoints, postgres, preflight, secrets
from gymsite.services.supervisor import Supervisor

pytestmark = pytest.mark.services


def _start_and_stop(var_dir: Path) -> None:
    """Errors: ``postgres_not_started``."""
    supervisor = Supervisor(logs_dir=var_dir / "logs", say=print)
    try:
        embedded_servers.start(var_dir, supervisor, with_redis=False, is_disposable=True)
    finally:
        supervisor.stop(grace_s=5.0)


@pytest.fixture
def var_dir(tmp_path: Path) -> Iterator[Path]:
    """An installation with the data of a Postgres that does not run."""
    tmp_path.chmod(0o711)
    preflight.folders_make(tmp_path)
    secrets.ensure_all(tmp_path)
    _start_and_stop(tmp_path)
    yield tmp_path
    shutil.rmtree(endpoints.socket_folder(tmp_path), ignore_errors=True)


@pytest.mark.parametrize(
    ("mode", "expected"), [(0o755, 0o700), (0o777, 0o700), (0o770, 0o700), (0o750, 0o750), (0o740, 0o740)]
)
def test_the_data_folder_is_closed_to_others_at_start(var_dir: Path, mode: int, expected: int) -> None:
    folder = postgres.data_folder(var_dir)
    folder.chmod(mode)

    _start_and_stop(var_dir)

    assert stat.S_IMODE(folder.stat().st_mode) == expected
