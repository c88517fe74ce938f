"""Observation of a program from outside its sandbox: the time it uses, and the files in its home folder."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from verifiers.sandbox.enclosure import HOME
from verifiers.sandbox.limits import HOME_FILES

NANOSECONDS = 1e9


def find_program(bubblewrap: int) -> int | None:
    """Return the process id of the program that a bubblewrap process started; None if it has ended."""
    try:
        (init,) = _children(bubblewrap)
        (program,) = _children(init)
    except (OSError, ValueError):
        return None
    return program


class ProgramClock:
    """Clock of a program's own time: wall-clock time minus the time that its processes waited for a CPU.

    A program that sleeps or blocks uses its own time; one that a busy machine holds up does not. Only the
    main threads' waits count. Threads that wait for each other use the program's CPU time, which has a limit
    of its own. The wait is the second number in ``/proc/PID/schedstat`` ("Scheduler Statistics" in the
    kernel's documentation); on kernels without that file, all time is the program's own.
    """

    def __init__(self, processes: Iterable[int | None]) -> None:
        self._waits = dict.fromkeys((process for process in processes if process is not None), 0.0)
        self._read()
        self._waited_before_s = sum(self._waits.values())
        self._started = time.monotonic()

    def wall_s(self) -> float:
        return time.monotonic() - self._started

    def own_s(self) -> float:
        self._read()
        return self.wall_s() - (sum(self._waits.values()) - self._waited_before_s)

    def _read(self) -> None:
        """Read how long each process has waited; a process that has ended keeps its last value."""
        for process in self._waits:
            with contextlib.suppress(OSError, IndexError):
                fields = Path(f"/proc/{process}/schedstat").read_text().split()
                self._waits[process] = int(fields[1]) / NANOSECONDS


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


class Home:
    """The home folder of a running sandbox; call ``close`` when done with it."""

    def __init__(self, program: int | None) -> None:
        """Open a process's home folder; without a process, or if it has ended, it never counts as full."""
        self._descriptor: int | None = None
        with contextlib.suppress(OSError):
            self._descriptor = os.open(f"/proc/{program}/root{HOME}", os.O_PATH | os.O_DIRECTORY)

    def is_full(self) -> bool:
        if self._descriptor is None:
            return False
        files = os.fstatvfs(self._descriptor)
        return files.f_files - files.f_ffree > HOME_FILES

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
