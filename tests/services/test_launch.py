"""What containers do: one process each, addresses without passwords, secrets as files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from gymsite.services import endpoints, preparation, secrets
from gymsite.services.launch import SETUP
from gymsite.services.processes import BASE_DIR, PROCESSES, Process
from tests.embedded_services import TestServers, embedded_services
from tests.services.installations import START_S, Up, free_port, until

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServers]:
    with embedded_services(tmp_path_factory.mktemp("own")) as servers:
        yield servers


def _container(process: Process, own: TestServers, folder: Path) -> dict[str, str]:
    """A container's environment, with the secrets of its row alone laid into its folder."""
    needed = [process.role, process.key_file]
    needed += [endpoints.redis_secret(process.redis_user)] if process.has_redis else []
    needed += ["token_key"] if process.has_token_key else []
    needed += ["world_salt"] if process.has_world_salt else []
    (folder / "secrets").mkdir()
    for name in needed:
        shutil.copy(secrets.folder(own.var_dir) / name, folder / "secrets" / name)
    without_passwords = [re.sub(r"//[^@]*@", "//", url) for url in (own.database_url, own.redis_url)]
    environment = Up(folder).environment()
    return environment | dict(zip(("DATABASE_URL", "REDIS_URL"), without_passwords, strict=True))


def _command(name: str) -> list[str]:
    return [sys.executable, "-m", "gymsite.services.launch", name]


@pytest.fixture(scope="module")
def setups(own: TestServers, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What two setup containers print, one after the other; the database is prepared then."""
    folder = tmp_path_factory.mktemp("setup")
    environment = _container(SETUP, own, folder)
    for role in preparation.ROLES:
        shutil.copy(secrets.folder(own.var_dir) / role, folder / "secrets" / role)
    return [
        subprocess.run(
            _command("setup"), env=environment, cwd=BASE_DIR, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]


def test_setup_prepares_the_database_and_a_second_one_shows_nothing(setups: list[str]) -> None:
    assert "login  admin  password " in setups[0]
    assert setups[1] == ""


@pytest.mark.parametrize("name", ["arena", "sweeper"])
@pytest.mark.usefixtures("setups")
def test_a_process_runs_with_its_own_secrets_alone(own: TestServers, tmp_path: Path, name: str) -> None:
    process = next(row for row in PROCESSES if row.name == name)
    environment = _container(process, own, tmp_path) | {"ARENA_PORT": str(free_port())}
    with subprocess.Popen(
        _command(name), env=environment, cwd=BASE_DIR, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            if name == "arena":
                address = f"http://127.0.0.1:{environment['ARENA_PORT']}/healthz"
                until(lambda: _answers(address), seconds=START_S, what="the arena answers")
            else:
                with pytest.raises(subprocess.TimeoutExpired):
                    running.wait(4)
        finally:
            running.terminate()
            running.wait(10)


def test_a_missing_secret_is_named(own: TestServers, tmp_path: Path) -> None:
    process = next(row for row in PROCESSES if row.name == "lab")
    environment = _container(process, own, tmp_path)
    (tmp_path / "secrets" / "gym_lab").unlink()
    done = subprocess.run(_command("lab"), env=environment, cwd=BASE_DIR, capture_output=True, text=True)
    assert done.returncode == 1
    assert "secrets/gym_lab does not exist" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_name_gets_a_suggestion() -> None:
    done = subprocess.run(_command("worker-verfiy"), cwd=BASE_DIR, capture_output=True, text=True)
    assert done.returncode == 1
    assert "worker-verify" in done.stderr


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
