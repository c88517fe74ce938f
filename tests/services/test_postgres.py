from __future__ import annotations

import shutil
import signal
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gymsite.services import account, binaries, endpoints, postgres, secrets

pytestmark = pytest.mark.services


@dataclass
class Data:
    """Data of a Postgres that does not run."""

    var_dir: Path
    log: Path

    @property
    def folder(self) -> Path:
        return postgres.data_folder(self.var_dir)

    def start_and_stop(self) -> None:
        """Errors: ``postgres_not_started``."""
        user = account.for_data(self.folder)
        programs = binaries.binaries_find(user)
        with self.log.open("ab") as log:
            server = postgres.spawn(
                self.var_dir,
                bin_dir=programs.postgres_bin,
                account=user,
                log=log.fileno(),
                is_disposable=True,
            )
        try:
            postgres.wait_ready(self.var_dir, server)
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Data]:
    user = account.for_data(tmp_path / "none")
    tmp_path.chmod(0o711)
    endpoints.run_folder(tmp_path).mkdir()
    secrets.ensure_all(tmp_path)
    endpoints.socket_folder_make(tmp_path, user)
    programs = binaries.binaries_find(user)
    postgres.prepare(tmp_path, bin_dir=programs.postgres_bin, account=user, is_disposable=True)
    yield Data(var_dir=tmp_path, log=tmp_path / "postgres.log")
    shutil.rmtree(endpoints.socket_folder(tmp_path), ignore_errors=True)


@pytest.mark.parametrize(
    ("mode", "expected"), [(0o755, 0o700), (0o777, 0o700), (0o770, 0o700), (0o750, 0o750), (0o740, 0o740)]
)
def test_data_that_a_copy_has_opened_to_others_is_closed_at_start(
    data: Data, mode: int, expected: int
) -> None:
    data.folder.chmod(mode)

    data.start_and_stop()

    assert stat.S_IMODE(data.folder.stat().st_mode) == expected
