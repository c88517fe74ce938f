"""The embedded Postgres: the programs from the wheel, run in the foreground, on a private socket."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import sql

from core.errors import GymError
from gymsite.services import endpoints, parent_death, postgres_memory, secrets
from gymsite.services.account import Account, own_folder
from gymsite.services.binaries import POSTGRES_MAJOR

OWNER = "gym_owner"
MAX_CONNECTIONS = 100
# The caller's environment is not passed on, because PG* variables would change how the programs behave.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
NEVER = -1
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": str(MAX_CONNECTIONS),
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "update_process_title": "off",
    # Slow statements are logged without their parameters; failed rows and statements are not logged at all.
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_line_prefix": "%m [%p] %a ",
}
# Mode bits that Postgres refuses on its data folder, and the mode that the folder is given instead.
OPEN_BITS = 0o027
CLOSED_MODE = 0o700
# Settings for disposable data, all of which may be lost in a crash of the machine.
UNSAFE_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def data_folder(var_dir: Path) -> Path:
    return var_dir / "postgres"


def prepare(var_dir: Path, *, bin_dir: Path, account: Account | None, is_disposable: bool = False) -> None:
    """End servers left over from an earlier start, and create the data folder if it is missing.

    Errors: ``other_postgres_version``, ``initdb_failed``, ``data_not_ours``, ``server_left_over``.
    """
    data = data_folder(var_dir)
    parent_death.end_servers(data, "postgres", signal.SIGINT, signal.SIGKILL)  # stop, then kill
    try:
        if not data.exists() or not any(data.iterdir()):
            _initdb(var_dir, bin_dir=bin_dir, account=account, is_disposable=is_disposable)
        version = (data / "PG_VERSION").read_text().strip()
    except PermissionError:
        message = f"{data} belongs to another user: run as that user, or choose another VAR_DIR."
        raise GymError("data_not_ours", message) from None
    except FileNotFoundError:
        message = f"{data} is not empty and holds no Postgres data: move it away, or choose another VAR_DIR."
        raise GymError("data_not_ours", message) from None
    if version != str(POSTGRES_MAJOR):
        raise GymError(
            "other_postgres_version",
            f"{data} holds data of Postgres {version}, and this is Postgres {POSTGRES_MAJOR}: "
            f"choose another VAR_DIR, or dump the data with Postgres {version} and load it into a new one.",
        )


def spawn(
    var_dir: Path,
    *,
    bin_dir: Path,
    account: Account | None,
    log: int,
    is_disposable: bool = False,
    slow_ms: int = NEVER,
) -> subprocess.Popen[bytes]:
    """Start the server in the foreground. When its parent dies, it shuts down fast and cleanly.

    It logs statements that take ``slow_ms`` or more.
    """
    data = data_folder(var_dir)
    sockets = endpoints.socket_folder(var_dir)
    memory = 0 if is_disposable else postgres_memory.machine_memory()
    chosen = SETTINGS | {"unix_socket_directories": str(sockets)} | postgres_memory.memory_settings(memory)
    chosen |= {"log_min_duration_statement": str(slow_ms)}
    chosen |= UNSAFE_SETTINGS if is_disposable else {}
    options = [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]
    _clear_stale_pid(data)
    _close(data)
    return parent_death.spawn(
        [str(bin_dir / "postgres"), "-D", _data_argument(data, account), *options],
        env=ENVIRONMENT,
        cwd=data,
        log=log,
        account=account,
        on_parent_death=signal.SIGINT,
    )


def is_ready(var_dir: Path) -> bool:
    """Return whether the server answers; if so, create our database. Errors: ``postgres_not_started``."""
    url = endpoints.database_url(var_dir, role=OWNER)
    try:
        with psycopg.connect(url, dbname="postgres", autocommit=True) as connection:
            _make_database(connection)
            # The owner's commands load golds in statements with literals, which must not be logged.
            connection.execute(f"ALTER ROLE {OWNER} SET log_min_duration_statement = {NEVER}")
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error):
            raise GymError("postgres_not_started", _lost_password(var_dir)) from None
        return False
    return True


def _make_database(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    rows = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [endpoints.DATABASE])
    if rows.fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(endpoints.DATABASE)))


def _initdb(var_dir: Path, *, bin_dir: Path, account: Account | None, is_disposable: bool) -> None:
    """Create the data elsewhere and move it into place; an interrupted start leaves no partial data."""
    data = data_folder(var_dir)
    half = data.with_name("postgres.half")
    shutil.rmtree(half, ignore_errors=True)
    own_folder(half, account)
    with _password_file(var_dir, account) as password_file:
        command = [
            str(bin_dir / "initdb"),
            f"--pgdata={_data_argument(half, account)}",
            f"--username={OWNER}",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions",
        ]
        command += ["--no-sync"] if is_disposable else []
        process = parent_death.spawn(command, env=ENVIRONMENT, cwd=half, log=subprocess.PIPE, account=account)
        _, complaint = process.communicate()
    if process.returncode:
        last = (complaint.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        raise GymError("initdb_failed", f"Postgres could not create its data in {data}: {last}")
    half.rename(data)


@contextlib.contextmanager
def _password_file(var_dir: Path, account: Account | None) -> Iterator[Path]:
    path = endpoints.socket_folder(var_dir) / "first-password"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.read(var_dir, OWNER) + "\n")
    if account:
        os.chown(path, account.uid, account.gid)
    try:
        yield path
    finally:
        path.unlink()


def _data_argument(data: Path, account: Account | None) -> str:
    """Return the data folder's path in a form that the server's user can open.

    The full path may lead through folders that are closed to that user (a checkout under /root). The
    inherited working directory is open nevertheless, and servers never leave it.
    """
    return "/proc/self/cwd" if account else str(data)


def _clear_stale_pid(data: Path) -> None:
    """Remove a pid file whose pid now belongs to another program, or else Postgres would not start."""
    if not parent_death.pids_inside(data.resolve(), program="postgres"):
        (data / "postmaster.pid").unlink(missing_ok=True)


def _close(data: Path) -> None:
    """Close the data folder to other users, without which Postgres refuses it.

    It may be open after a copy that did not preserve modes. Read access for the group is allowed, and stays.
    """
    if data.stat().st_mode & OPEN_BITS:
        data.chmod(CLOSED_MODE)


def _lost_password(var_dir: Path) -> str:
    return (
        f"The password in {secrets.folder(var_dir) / OWNER} is not the one that the data in "
        f"{data_folder(var_dir)} was created with: put the old secrets back, or choose another VAR_DIR."
    )
