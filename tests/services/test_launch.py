"""What containers do: one process each, addresses without passwords, secrets as files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
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
    needed = process.secret_names()
    needed += [endpoints.redis_secret(process.redis_user)] if process.has_redis else []
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


def test_management_commands_run_with_the_same_environment_and_secrets(
    own: TestServers, setups: list[str], tmp_path: Path
) -> None:
    environment = _container(SETUP, own, tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*_command("manage"), *words]
        return subprocess.run(command, env=environment, cwd=BASE_DIR, capture_output=True, text=True)

    made = run("create_key", "--name", "of a container", "--scopes", "trainer")
    assert (made.returncode, made.stdout[:4]) == (0, "gym_"), made.stderr
    assert "rejudge" in run().stdout
    assert "`manage create_key` runs" in run_setup_with_words(environment)


def run_setup_with_words(environment: dict[str, str]) -> str:
    command = [*_command("setup"), "create_key"]
    done = subprocess.run(command, env=environment, cwd=BASE_DIR, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_a_second_installation_on_the_server_takes_no_roles_from_the_first(
    own: TestServers, setups: list[str], tmp_path: Path
) -> None:
    second = own.database_url.replace("/gym?", "/second?")
    with psycopg.connect(own.database_url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE second")
    try:
        done = _prepared(tmp_path, second)
        assert done.returncode == 1
        assert 'belongs to the Palaestra in the database "gym"' in done.stderr
        assert "Traceback" not in done.stderr
        with psycopg.connect(endpoints.role_url(own.var_dir, owner_url=own.database_url, role="gym_lab")):
            pass  # its password still opens the first
        shutil.copytree(secrets.folder(own.var_dir), secrets.folder(tmp_path), dirs_exist_ok=True)
        assert _prepared(tmp_path, second).returncode == 0
    finally:
        with psycopg.connect(own.database_url, autocommit=True) as owner:
            owner.execute("DROP DATABASE second")


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ("COMMENT ON TABLE django_migrations IS '9.0 trajectories.0099_later@0'", "is unknown here"),
        ("COMMENT ON TABLE django_migrations IS '0.0 tasks_app.0001_initial@0'", "has another file here"),
        ("ALTER TABLE trajectories_run RENAME TO of_an_older_build", "The tables are not what this build"),
        ("DELETE FROM django_migrations WHERE app = 'trajectories'", "The tables are not what this build"),
    ],
)
def test_a_database_of_another_build_is_refused_in_words(
    own: TestServers, setups: list[str], tmp_path: Path, spoiled: str, words: str
) -> None:
    old = own.database_url.replace("/gym?", "/old?")
    shutil.copytree(secrets.folder(own.var_dir), secrets.folder(tmp_path))
    with psycopg.connect(own.database_url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE old TEMPLATE gym")
    try:
        with psycopg.connect(old, autocommit=True) as owner:
            owner.execute(spoiled)
        done = _prepared(tmp_path, old)
    finally:
        with psycopg.connect(own.database_url, autocommit=True) as owner:
            owner.execute("DROP DATABASE old WITH (FORCE)")
    assert (done.returncode, words in done.stderr, "docs/upgrade.md" in done.stderr) == (1, True, True), (
        done.stderr
    )
    assert "Traceback" not in done.stderr


def _prepared(folder: Path, database_url: str) -> subprocess.CompletedProcess[str]:
    secrets.ensure_all(folder)
    environment = Up(folder).environment() | {"DATABASE_URL": database_url, "VAR_DIR": str(folder)}
    command = [sys.executable, "manage.py", "prepare"]
    return subprocess.run(command, env=environment, cwd=BASE_DIR, capture_output=True, text=True)


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
