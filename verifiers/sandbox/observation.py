"""Observation of a program from outside its sandbox: its own time, and the files of its home."""

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
    """Return the process id of the program that a bubblewrap has started; None if it has ended."""
    try:
        (init,) = _children(bubblewrap)
        (program,) = _children(init)
    except (OSError, ValueError):
        return None
    return program


class ProgramClock:
    """Wall-clock seconds less those in which one of the processes was ready to run and had no processor.

    A program that sleeps or blocks spends its own time; one that a busy machine holds up does not. Only
    main threads count as held up, and threads of a program that hold each other up spend its CPU time, which
    has a limit of its own. The wait is the second number of ``/proc/PID/schedstat`` ("Scheduler Statistics"
    in the kernel's documentation); on kernels without it all time is the program's own.
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
        """Read the waits; a process that has ended keeps its last one."""
        for process in self._waits:
            with contextlib.suppress(OSError, IndexError):
                fields = Path(f"/proc/{process}/schedstat").read_text().split()
                self._waits[process] = int(fields[1]) / NANOSECONDS


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


class Home:
    """The home of a sandbox that has started. ``close`` it."""

    def __init__(self, program: int | None) -> None:
        """Open the home of ``program``, a process id or None. One that has ended never counts as full."""
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
