"""Helpers for commands that run a program in the foreground on an installation started by `make up`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import httpx

INTERRUPTED = 130
TIMEOUT_S = 60.0


def key_of_demos(server: str, var_dir: Path) -> str:
    """Return the installation's key for demonstrations; exit if its lab does not answer."""
    try:
        key = (var_dir / "secrets" / "demo_key").read_text().strip()
        httpx.get(f"{server}/api/v1/health", timeout=TIMEOUT_S).raise_for_status()
    except (OSError, httpx.HTTPError):
        sys.exit(
            f"Nothing answers at {server}: run `make up` in another terminal first. If the lab "
            "that it prints has another address, add LAB_URL=<address> to this command."
        )
    return key


def main_exit(main: Callable[[], int]) -> None:
    """Exit with the status of ``main``; after Ctrl-C, print one line and exit with 130."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


def program_run(command: Sequence[str], *, environment: Mapping[str, str]) -> int:
    """Run one of our programs to its end and return its exit status.

    Ctrl-C in a terminal reaches the program too, so wait for it to finish and report that itself.
    """
    with subprocess.Popen(command, env=environment) as program:  # noqa: S603
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                continue
