"""Processor time and memory of processes, from `/proc`; other load on the machine hardly affects them."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterable
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


def pids_of(*parts: str, var_dir: Path) -> set[int]:
    """Return the processes of the installation in ``var_dir`` whose command line contains all parts."""
    return {pid for pid in _pids() if _is_of(pid, parts, var_dir)}


def with_children(roots: Iterable[int]) -> set[int]:
    """Return the processes and all processes that they have started."""
    parents = {pid: parent for pid in _pids() if (parent := _parent(pid))}
    pids = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= more
    return pids


def spent_s(pids: Iterable[int]) -> float:
    """Return the processor seconds of these processes so far; processes that have ended do not count."""
    return sum(_ticks(pid) for pid in pids) / TICKS_PER_S


def age_s(pid: int) -> float:
    """Return the seconds since a process was started; 0 if it has ended."""
    fields = _fields(pid)
    started_s = int(fields[19]) / TICKS_PER_S if fields else math.inf
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started_s)


def memory_mb(pids: Iterable[int]) -> float:
    """Return the memory of the processes in MB; shared memory is divided among its users."""
    return sum(_shared_kb(pid) for pid in pids) / 1024


def _pids() -> list[int]:
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]


def _is_of(pid: int, parts: tuple[str, ...], var_dir: Path) -> bool:
    try:
        command = (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        place = (PROC / str(pid) / "environ").read_bytes() + command.encode()
    except OSError:
        return False
    return all(part in command for part in parts) and str(var_dir).encode() in place


def _fields(pid: int) -> list[str]:
    """Return the fields of ``stat`` after the process name, which may contain any characters."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def _ticks(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[11]) + int(fields[12]) if fields else 0


def _shared_kb(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
