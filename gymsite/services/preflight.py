"""Checks before anything starts: what is required, and which optional tools are missing."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from core import browsers
from core.errors import GymError
from gymsite.services import endpoints

MEGABYTE = 1024 * 1024
# A new Postgres takes 40 MB, and its write-ahead log up to 80 MB more before the first checkpoint.
MIN_FREE_BYTES = 300 * MEGABYTE


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
            f"VAR_DIR {var_dir} cannot be written to ({error.strerror}): set VAR_DIR to a folder of yours.",
        ) from None


@contextlib.contextmanager
def only_one(var_dir: Path) -> Iterator[None]:
    """Lock VAR_DIR for this process; the kernel releases it however we end. Errors: ``already_running``."""
    with (var_dir / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            message = (
                f"Palaestra is already running on {var_dir} (process {holder}): "
                "stop it with Ctrl-C where it runs, or set VAR_DIR to another folder."
            )
            raise GymError("already_running", message) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def disk_check(var_dir: Path) -> None:
    """Errors: ``disk_full``."""
    free = shutil.disk_usage(var_dir).free
    if free < MIN_FREE_BYTES:
        raise GymError(
            "disk_full",
            f"Only {free // MEGABYTE} MB are free under {var_dir} and "
            f"{MIN_FREE_BYTES // MEGABYTE} MB are needed: make room, or set VAR_DIR to another disk.",
        )


def missing_tools() -> list[str]:
    """One sentence per missing optional program, with how to install it; everything else works without."""
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
    if find_spec("reasoning_gym") is None:
        missing.append(
            "The package reasoning-gym was not found, so the benchmark reasoning_gym cannot be generated: "
            "`apt-get install gcc python3-dev`, then `.venv/bin/pip install -r requirements-puzzles.txt`."
        )
    return missing
