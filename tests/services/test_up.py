"""`manage.py up` with real servers that are killed on purpose."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from core.database.addresses import django_database
from gymsite.services import endpoints, secrets
from gymsite.services.processes import BASE_DIR, PROCESSES
from tests.services.installations import STOP_S, Started, Up, until

pytestmark = [pytest.mark.services, pytest.mark.slow]

# One of each kind: the test of chaos kills them all, and waits until all have come back.
CHILDREN = ("lab", "sweeper", "worker-verify-2", "postgres", "redis")
ORDINARY_USER = "nobody"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Up:
    return Up(tmp_path_factory.mktemp("up") / "var")


@pytest.fixture(scope="module")
def started(up: Up) -> Iterator[Started]:
    with up.started() as running:
        yield running


def test_a_new_installation_shows_addresses_a_login_and_a_key(started: Started, up: Up) -> None:
    for port in up.ports.values():
        assert f"http://127.0.0.1:{port}" in started.output
    assert "login  admin  password " in started.output
    assert "key    " in started.output
    assert up.is_well()
    # The housekeeper starts once everything else is ready.
    until(lambda: up.health_record()["status"] == "ok", seconds=30, what="nothing is missing")


def test_secrets_are_closed_to_everyone_else(started: Started, up: Up) -> None:
    folder = secrets.folder(up.var_dir)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    stored = [(folder / name).read_text() for name in secrets.PASSWORDS + secrets.KEYS]
    assert len(set(stored)) == len(stored)


def test_no_secret_appears_in_a_list_of_processes(started: Started, up: Up) -> None:
    values = [secrets.read(up.var_dir, name) for name in secrets.PASSWORDS + secrets.KEYS]
    for pid in up.descendants():
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        assert not [value for value in values if value in words]


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: process.name)
def test_each_process_is_given_its_own_secrets_alone(started: Started, up: Up, process) -> None:
    environment, *copies = (started.environment_of(name) for name in process.copy_names())
    assert all(copy == environment for copy in copies)
    own = {*process.secret_names()}
    own |= {endpoints.redis_secret(process.redis_user)} if process.has_redis else set()
    text = "\n".join(environment.values())
    leaked = {name for name in secrets.PASSWORDS + secrets.KEYS if secrets.read(up.var_dir, name) in text}
    assert leaked == own
    assert ("REDIS_URL" in environment) == process.has_redis


@pytest.mark.parametrize("role", ["gym_owner", "gym_lab", "gym_worker", "gym_sandbox", "gym_metrics"])
def test_the_arenas_password_opens_no_other_role(started: Started, role: str) -> None:
    settings = django_database(started.environment_of("arena")["DATABASE_URL"])
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(
            host=settings["HOST"], dbname=settings["NAME"], user=role, password=settings["PASSWORD"]
        )


def test_the_arenas_login_cannot_read_golds_or_evidence(started: Started) -> None:
    with psycopg.connect(started.environment_of("arena")["DATABASE_URL"], autocommit=True) as connection:
        for table in ("tasks_app_gold", "trajectories_verdictevidence", "trajectories_verdict", "auth_user"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                connection.execute(f"SELECT * FROM {table}")


def test_a_second_start_on_the_same_folder_is_refused(started: Started, up: Up) -> None:
    second = Up(up.var_dir)
    assert "already running" in second.refused()
    assert up.is_well()


def test_a_port_in_use_names_its_holder_and_the_setting(started: Started, up: Up, tmp_path: Path) -> None:
    second = Up(tmp_path / "var", ports={**up.ports, "ARENA_PORT": up.ports["LAB_PORT"]})
    message = second.refused()
    assert message.count("\n") == 0
    assert f"Port {up.ports['LAB_PORT']} is in use by " in message
    assert "ARENA_PORT=" in message
    assert not (tmp_path / "var" / "postgres").exists()


@pytest.mark.parametrize("name", CHILDREN)
def test_a_killed_child_is_started_again(started: Started, up: Up, name: str) -> None:
    before = started.child(name)
    os.kill(before, signal.SIGKILL)
    until(lambda: _was_restarted(started, name, before), seconds=30, what=f"{name} runs again")
    until(up.is_well, seconds=30, what="all doors answer again")


def test_a_killed_http_worker_is_replaced(started: Started, up: Up) -> None:
    parent = started.child("arena")
    children = Path(f"/proc/{parent}/task/{parent}/children")
    before = children.read_text().split()
    os.kill(int(before[0]), signal.SIGKILL)
    until(
        lambda: len(set(children.read_text().split()) - {before[0]}) == 2,
        seconds=20,
        what="two workers again",
    )
    assert up.health("ARENA_PORT", "/healthz")[0] == 200


def test_no_child_outlives_a_killed_supervisor(started: Started, up: Up) -> None:
    """The last test of the installation that the tests above share."""
    started.process.kill()
    started.process.wait()
    until(lambda: not up.descendants(), seconds=STOP_S, what="every child is gone")


def test_data_of_another_postgres_is_left_alone(tmp_path: Path) -> None:
    up = Up(tmp_path / "var")
    data = up.var_dir / "postgres"
    data.mkdir(parents=True, mode=0o700)
    (data / "PG_VERSION").write_text("15\n")
    message = up.refused()
    assert "holds data of Postgres 15, and this is Postgres 18" in message
    assert [path.name for path in data.iterdir()] == ["PG_VERSION"]


def test_a_folder_that_cannot_be_made_is_explained_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = Up(tmp_path / "file" / "var").refused()
    assert "cannot be written to" in message
    assert message.count("\n") == 0


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL"])
def test_a_wrong_address_is_explained_in_one_sentence(tmp_path: Path, name: str) -> None:
    message = Up(tmp_path / "var", extra={name: "nonsense"}).refused()
    assert name in message
    assert "is not an address" in message
    assert message.count("\n") == 0


def test_an_ordinary_user_can_start_it() -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests run as an ordinary user already")
    python, packages = _python_of_everyone()
    entry = pwd.getpwnam(ORDINARY_USER)
    home = Path(tempfile.mkdtemp(prefix="gym-ordinary-"))  # pytest's own folder is closed to others
    os.chown(home, entry.pw_uid, entry.pw_gid)
    extra = {"HOME": str(home), "PYTHONPATH": packages}
    up = Up(home / "var", extra=extra, python=python, account=(entry.pw_uid, entry.pw_gid))
    try:
        with up.started() as running:
            assert up.is_well()
            owners = {Path(f"/proc/{pid}").stat().st_uid for pid in running.children()}
            assert owners == {entry.pw_uid}
    finally:
        shutil.rmtree(home)


def _was_restarted(started: Started, name: str, before: int) -> bool:
    try:
        return started.child(name) != before
    except (AssertionError, OSError):
        return False


def _python_of_everyone() -> tuple[str, str]:
    """A Python that others may run, of our version, and where it finds our packages."""
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    version = f"{sys.version_info[:3]}"
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            done = subprocess.run(
                [python, "-c", "import sys, django; print(sys.version_info[:3])"],
                env={"PYTHONPATH": packages},
                cwd=BASE_DIR,
                user=ORDINARY_USER,
                extra_groups=[],
                capture_output=True,
                text=True,
            )
        except OSError:
            continue
        if done.stdout.strip() == version:
            return python, packages
    pytest.skip(f"no Python {version} here that {ORDINARY_USER} may run together with this checkout")
