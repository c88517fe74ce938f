from __future__ import annotations

import os
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from core.errors import GymError
from core.web import browsers
from gymsite.services import account, binaries, endpoints, preflight
from gymsite.services.account import Account
from verifiers.sandbox import cgroups

Usage = namedtuple("Usage", "total used free")
STRANGER = Account(uid=54321, gid=54321)


def test_a_full_disk_is_reported_with_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(10**12, 10**12, 5 * 1024 * 1024))
    with pytest.raises(GymError) as refused:
        preflight.disk_check(tmp_path)
    assert refused.value.code == "disk_full"
    assert "Only 5 MB are free" in refused.value.message


def test_a_folder_is_locked_by_one_process_and_free_afterwards(tmp_path: Path) -> None:
    refused = pytest.raises(GymError, match=rf"already running on .* \(process {os.getpid()}\)")
    with preflight.lock_var_dir(tmp_path), refused, preflight.lock_var_dir(tmp_path):
        pass
    with preflight.lock_var_dir(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_missing_programs_are_named_with_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PALAESTRA_BROWSER", raising=False)
    monkeypatch.setattr(browsers, "PLAYWRIGHT", tmp_path)
    monkeypatch.setattr(cgroups, "problem", lambda: "no group")
    text = " ".join(preflight.missing_tools())
    assert "apt-get install chromium-headless-shell" in text
    assert "apt-get install bubblewrap" in text
    for program in ("chromium-headless-shell", "bwrap"):
        (tmp_path / program).touch(mode=0o755)
    assert preflight.missing_tools() == ["no group"]
    monkeypatch.setattr(cgroups, "problem", lambda: None)
    assert preflight.missing_tools() == []


def test_sockets_lie_in_the_installation_when_its_path_is_short(tmp_path: Path) -> None:
    var_dir = tmp_path / "v"
    preflight.folders_make(var_dir)
    folder = endpoints.socket_folder_make(var_dir, None)
    assert folder == var_dir / "run" / "s"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_sockets_of_a_deep_installation_lie_elsewhere_and_stay_there(tmp_path: Path) -> None:
    var_dir = tmp_path / ("deep" * 20)
    preflight.folders_make(var_dir)
    folder = endpoints.socket_folder_make(var_dir, None)
    try:
        assert len(str(folder / ".s.PGSQL.5432")) <= endpoints.SOCKET_PATH_MAX
        assert folder.stat().st_mode & 0o777 == 0o700
        assert endpoints.socket_folder(var_dir) == folder
        assert endpoints.socket_folder_make(var_dir, None) == folder
        folder.chmod(0o755)  # no longer ours alone: not to be trusted again
        other = endpoints.socket_folder_make(var_dir, None)
        assert other != folder
        other.rmdir()
    finally:
        folder.rmdir()


def test_a_socket_path_that_is_too_long_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "SOCKET_PATH_MAX", 10)
    preflight.folders_make(tmp_path)
    with pytest.raises(GymError) as refused:
        endpoints.socket_folder_make(tmp_path, None)
    assert refused.value.code == "socket_path_too_long"


def test_a_login_replaces_only_user_and_password_of_an_address() -> None:
    url = endpoints.with_login(
        "postgresql://owner:s%40cret@db.example:6543/gym?sslmode=require", user="gym_arena", password="a/b@c"
    )
    assert url == "postgresql://gym_arena:a%2Fb%40c@db.example:6543/gym?sslmode=require"


def test_a_folder_closed_to_others_cannot_be_entered_by_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "closed" / "inside"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700)
    assert not account.can_enter(folder, STRANGER)
    assert account.can_enter(folder, None)
    assert account.can_enter(Path("/usr/bin"), STRANGER)


def test_programs_in_a_closed_folder_are_copied_where_they_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "COPIES", tmp_path / "copies")
    monkeypatch.setattr(binaries, "can_enter", lambda _path, _account: False)
    first = binaries.binaries_find(STRANGER)
    for program in (first.postgres_bin / "postgres", first.postgres_bin / "initdb", first.redis_server):
        assert program.is_relative_to(tmp_path / "copies")
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        assert any(name in version for name in ("PostgreSQL) 18.", "Redis server v="))
    assert binaries.binaries_find(STRANGER) == first
    assert [path.name for path in (tmp_path / "copies").iterdir() if path.name.startswith(".")] == []
