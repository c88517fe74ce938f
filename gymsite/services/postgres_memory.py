"""The embedded Postgres's share of the machine's memory, which it shares with all other processes."""

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
        """Return the setting's value in bytes, rounded to whole megabytes."""
        return min(self.most, max(self.least, int(memory * self.share) // MB * MB))


# Less than is recommended for a dedicated server, because web servers, workers and browsers run here too.
MEMORY_SETTINGS = (
    MemorySetting(name="shared_buffers", share=1 / 8, least=128 * MB, most=16 * GB),
    # Allocates nothing. It is what the planner expects to be cached, including in the system's cache.
    MemorySetting(name="effective_cache_size", share=1 / 2, least=512 * MB, most=256 * GB),
    # Each sort or hash table of up to 100 connections may use this much.
    MemorySetting(name="work_mem", share=1 / 1024, least=4 * MB, most=64 * MB),
    # Each of three autovacuum workers may use this much too.
    MemorySetting(name="maintenance_work_mem", share=1 / 64, least=64 * MB, most=1 * GB),
    # This is space on disk, used between two checkpoints.
    MemorySetting(name="max_wal_size", share=1 / 4, least=2 * GB, most=16 * GB),
)


def memory_settings(memory: int) -> dict[str, str]:
    """Return Postgres's memory settings for a machine with ``memory`` bytes."""
    return {setting.name: f"{setting.size(memory) // MB}MB" for setting in MEMORY_SETTINGS}


def machine_memory() -> int:
    """Return the bytes that this process may use: the lowest limit of its cgroups, or the whole memory."""
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
            # No limit is given as "max" in version 2, and as a number larger than the memory in version 1.
            limits += [int(text) for text in _lines(folder / name) if text.isdecimal()]
            if folder == root:
                break
    return limits


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
