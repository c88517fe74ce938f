"""Division of the machine's memory between the embedded Postgres and everything else that runs here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psutil

MB = 1024**2
GB = 1024**3
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


@dataclass(frozen=True, kw_only=True)
class MemorySetting:
    """Setting that takes a ``share`` of the machine's memory, within bounds in bytes."""

    name: str
    share: float
    least: int
    most: int

    def size(self, memory: int) -> int:
        """Return the size of the setting in bytes, whole megabytes."""
        return min(self.most, max(self.least, int(memory * self.share) // MB * MB))


# Less than is advised for a dedicated server: doors, workers and browsers share the machine.
MEMORY_SETTINGS = (
    MemorySetting(name="shared_buffers", share=1 / 8, least=128 * MB, most=16 * GB),
    # Allocates nothing: what the planner expects to be cached, the system's cache included.
    MemorySetting(name="effective_cache_size", share=1 / 2, least=512 * MB, most=256 * GB),
    # Each sort or hash table of each of up to 100 connections gets this much.
    MemorySetting(name="work_mem", share=1 / 1024, least=4 * MB, most=64 * MB),
    # Each of three autovacuum workers gets this much, too.
    MemorySetting(name="maintenance_work_mem", share=1 / 64, least=64 * MB, most=1 * GB),
    # On disk, between two checkpoints.
    MemorySetting(name="max_wal_size", share=1 / 4, least=2 * GB, most=16 * GB),
)


def memory_settings(memory: int) -> dict[str, str]:
    """Return Postgres' settings on a machine of so many bytes."""
    return {setting.name: f"{setting.size(memory) // MB}MB" for setting in MEMORY_SETTINGS}


def machine_memory() -> int:
    """Return the bytes that we may use: the least limit of the cgroups around us, or all memory."""
    return min([int(psutil.virtual_memory().total), *_cgroup_limits()])


def _cgroup_limits() -> list[int]:
    limits: list[int] = []
    for line in _lines(OWN_CGROUP):
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            root, name = CGROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = CGROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            # "max" in version 2 and a number beyond all memory in version 1 mean no limit.
            limits += [int(text) for text in _lines(folder / name) if text.isdecimal()]
            if folder == root:
                break
    return limits


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
