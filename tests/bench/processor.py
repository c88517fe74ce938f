"""Processor time and memory of processes, from `/proc`: what else the machine does changes neither much."""

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
    """Processes with all parts in their command line, of the installation in ``var_dir``."""
    return {pid for pid in _pids() if _is_of(pid, parts, var_dir)}


def with_children(roots: Iterable[int]) -> set[int]:
    """The processes and all that they have started."""
    parents = {pid: parent for pid in _pids() if (parent := _parent(pid))}
    pids = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= more
    return pids


def spent_s(pids: Iterable[int]) -> float:
    """Processor seconds of these processes so far; those that have ended count nothing."""
    return sum(_ticks(pid) for pid in pids) / TICKS_PER_S


def age_s(pid: int) -> float:
    """Seconds since a process was started; 0 for one that has ended."""
    fields = _fields(pid)
    started_s = int(fields[19]) / TICKS_PER_S if fields else math.inf
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started_s)


def memory_mb(pids: Iterable[int]) -> float:
    """Their memory; of what several share each has its part."""
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
    """Those of ``stat`` after the name, which may hold anything."""
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
