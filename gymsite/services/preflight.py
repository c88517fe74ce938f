"""Checks before anything starts: that requirements are met, and which optional tools are missing."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import psutil

from core.errors import GymError
from core.web import browsers
from gymsite.services import endpoints
from verifiers.sandbox import cgroups

PORT_MAX = 65_535
MEGABYTE = 1024 * 1024
# A new Postgres takes up 40 MB, and its write-ahead log up to 80 MB more before the first checkpoint.
MIN_FREE_BYTES = 300 * MEGABYTE
# A file of this name marks a VAR_DIR into which a backup is being restored.
RESTORING = "restoring"


def folders_make(var_dir: Path) -> None:
    """Create VAR_DIR and the folders in it. Errors: ``var_dir_not_writable``."""
    try:
        for folder in (var_dir, endpoints.run_folder(var_dir), var_dir / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        (var_dir / "logs").chmod(0o700)
        probe = endpoints.run_folder(var_dir) / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise GymError(
            "var_dir_not_writable",
            f"VAR_DIR {var_dir} cannot be written to ({error.strerror}): set VAR_DIR to another folder.",
        ) from None


def lock_var_dir(var_dir: Path) -> contextlib.AbstractContextManager[None]:
    """Lock VAR_DIR for this process. Errors: ``already_running``."""
    return lock_folder(
        var_dir,
        code="already_running",
        message="Palaestra is already running on {folder} (process {holder}): "
        "stop it with Ctrl-C where it runs, or set VAR_DIR to another folder.",
    )


@contextlib.contextmanager
def lock_folder(folder: Path, *, code: str, message: str) -> Iterator[None]:
    """Lock a folder for this process; the kernel unlocks it however the process ends. Errors: ``code``."""
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise GymError(code, message.format(folder=folder, holder=holder)) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def restore_check(var_dir: Path) -> None:
    """Raise ``restore_interrupted`` if a restore has not finished."""
    if (var_dir / RESTORING).exists():
        message = (
            f"A restore into {var_dir} did not end, so the data is incomplete: "
            "run `manage.py restore` again, with --replace."
        )
        raise GymError("restore_interrupted", message)


def disk_check(var_dir: Path) -> None:
    """Raise ``disk_full`` if too little space is free."""
    free = shutil.disk_usage(var_dir).free
    if free < MIN_FREE_BYTES:
        raise GymError(
            "disk_full",
            f"Only {free // MEGABYTE} MB are free under {var_dir} and "
            f"{MIN_FREE_BYTES // MEGABYTE} MB are needed: make room, or set VAR_DIR to another disk.",
        )


def ports_probe(*, host: str, ports: Mapping[str, int]) -> None:
    """Probe each port, given by its setting. Errors: those of ``port_probe``, and ``port_used_twice``.

    Servers with SO_REUSEPORT share a port silently, so that arena and lab would get each other's requests.
    """
    seen: dict[int, str] = {}
    for setting, port in ports.items():
        if port in seen:
            message = f"{seen[port]} and {setting} are both {port}: give each a port of its own."
            raise GymError("port_used_twice", message)
        seen[port] = setting
        port_probe(host=host, port=port, setting=setting)


def port_probe(*, host: str, port: int, setting: str) -> None:
    """Check that a port can be used, by binding it for a moment.

    Errors: ``port_in_use``, ``port_not_allowed``, ``no_such_port``, ``no_such_address``.

    The probe does not use SO_REUSEPORT, with which a busy port would seem free.
    """
    if not 0 < port <= PORT_MAX:
        raise GymError("no_such_port", f"{setting} is {port}; a port is a number from 1 to {PORT_MAX}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections in TIME_WAIT do no harm
        try:
            probe.bind((host, port))
        except OSError as error:
            raise _explained(error, host=host, port=port, setting=setting) from None


def _explained(error: OSError, *, host: str, port: int, setting: str) -> GymError:
    if error.errno == errno.EADDRINUSE:
        holder = _holder(port)
        by = f" by {holder}" if holder else ""
        message = (
            f"Port {port} is in use{by}: end that program, or choose another port with {setting}=<port>."
        )
        return GymError("port_in_use", message)
    if error.errno == errno.EACCES:
        message = f"Port {port} is reserved for root: choose one above 1023 with {setting}=<port>."
        return GymError("port_not_allowed", message)
    message = f"{host} is not an address of this machine ({error.strerror}): set GYM_HOST to one that is."
    return GymError("no_such_address", message)


def _holder(port: int) -> str:
    """Return the name and pid of the listening program, or "" if the system hides it."""
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
            with contextlib.suppress(psutil.Error):
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return ""


def missing_tools() -> list[str]:
    """List in sentences which optional tools are missing, what does not work without them, and the remedy."""
    missing = []
    if browsers.browser_find() is None:
        missing.append(
            "No Chromium was found, so browser rollouts and `make demo` cannot run here: "
            "`apt-get install chromium-headless-shell`, or `.venv/bin/playwright install chromium`."
        )
    if not shutil.which("bwrap"):
        missing.append(
            "bubblewrap was not found, so programs written by agents cannot be run "
            "(their verdicts are void, sandbox_missing) and DOM replays are not checked: "
            "`apt-get install bubblewrap`."
        )
    elif undelegated := cgroups.problem():
        missing.append(undelegated)
    if find_spec("reasoning_gym") is None:
        missing.append(
            "The package reasoning-gym was not found, so the benchmark reasoning_gym cannot be generated: "
            "`apt-get install gcc python3-dev`, then `.venv/bin/pip install -r requirements-puzzles.txt`."
        )
    return missing
