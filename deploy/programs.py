"""Programs that a command runs in the foreground."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

INTERRUPTED = 130


def main_exit(main: Callable[[], int]) -> None:
    """Exit with the status of ``main``; after Ctrl-C with one line and 130."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


def program_run(command: Sequence[str], *, environment: Mapping[str, str]) -> int:
    """Run a program of ours to its end; returns its exit status.

    Ctrl-C in a terminal reaches the program too, which ends in its own time and says so.
    """
    with subprocess.Popen(command, env=environment) as program:  # noqa: S603
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                continue
