"""The memory of a process and its descendants, from Linux's ``/proc``."""

from __future__ import annotations

import re
from pathlib import Path

PROC = Path("/proc")
# Only their own memory: programs and libraries are shared between processes.
OWN = re.compile(rb"^(?:RssAnon|RssShmem):\s+([0-9]+) kB$", re.MULTILINE)
PROCESSES_MOST = 1_000


def memory_of(pid: int) -> int:
    """Bytes held by a process and its descendants. Processes that have ended count as nothing."""
    total, waiting, seen = 0, [pid], 0
    while waiting and seen < PROCESSES_MOST:
        process = waiting.pop()
        seen += 1
        total += sum(int(size) for size in OWN.findall(_read(f"{process}/status")))
        for task in _tasks(process):
            waiting += map(int, _read(f"{process}/task/{task}/children").split())
    return total * 1024


def _tasks(pid: int) -> list[str]:
    try:
        return [path.name for path in (PROC / str(pid) / "task").iterdir()]
    except OSError:
        return []


def _read(name: str) -> bytes:
    try:
        return (PROC / name).read_bytes()
    except OSError:
        return b""
