"""Samples of what an installation uses: memory and open files by process, rows, and files on disk."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psycopg

from core.storage import blobs
from gymsite.services.processes import PROCESSES
from tests.bench import processor
from tests.services.kills import Installation

ROWS = """
SELECT coalesce(sum(n_live_tup), 0)::bigint, pg_database_size(current_database()) FROM pg_stat_user_tables"""
# Processes that end sooner leak nothing: the browser of a single replay, a parallel worker of Postgres.
LASTING_S = 60.0
FOLDERS = (*blobs.STORAGES, "logs", "run")


@dataclass(frozen=True)
class ProcessSample:
    """A process with all lasting processes that it started, in megabytes.

    ``pss`` includes a part of shared memory. ``own`` is the memory that is neither backed by a file nor a
    cache of Postgres, where a leak would show.
    """

    pss: float = 0.0
    own: float = 0.0
    files: int = 0
    processes: int = 0


@dataclass(frozen=True)
class Sample:
    at_s: float
    processes: dict[str, ProcessSample]
    rows: int
    database_mb: float
    files: dict[str, int]


@dataclass
class Record:
    """Samples over time."""

    installation: Installation
    begun: float = field(default_factory=time.monotonic)
    samples: list[Sample] = field(default_factory=list)

    def take_all(self, over: threading.Event, *, every_s: float) -> None:
        """Take a sample every ``every_s`` seconds until ``over``."""
        while not over.wait(every_s):
            self.take()

    def take(self) -> Sample:
        with psycopg.connect(self.installation.owner_url) as owner:
            rows, size = owner.execute(ROWS).fetchone() or (0, 0)
        sample = Sample(
            at_s=time.monotonic() - self.begun,
            processes={name: _measure(pids) for name, pids in _trees(self.installation).items()},
            rows=rows,
            database_mb=size / 2**20,
            files={name: _count(self.installation.up.var_dir / name) for name in FOLDERS},
        )
        self.samples.append(sample)
        return sample

    def level(self, name: str, *, start_s: float, end_s: float) -> ProcessSample:
        """Return medians over a period, so that short peaks do not count."""
        within = [one for one in self.samples if start_s <= one.at_s <= end_s]
        nearest = min(self.samples, key=lambda one: abs(one.at_s - (start_s + end_s) / 2))
        taken = [one.processes[name] for one in within or [nearest]]
        return ProcessSample(
            pss=median(one.pss for one in taken),
            own=median(one.own for one in taken),
            files=round(median(one.files for one in taken)),
            processes=round(median(one.processes for one in taken)),
        )


def _trees(installation: Installation) -> dict[str, set[int]]:
    started = installation.now
    names = [*(process.name for process in PROCESSES), "postgres", "redis"]
    trees = {name: _lasting(started.child(name)) for name in names}
    return {"supervisor": {started.process.pid}, **trees}


def _lasting(root: int) -> set[int]:
    return {
        pid for pid in processor.with_children([root]) if pid == root or processor.age_s(pid) >= LASTING_S
    }


def _measure(pids: set[int]) -> ProcessSample:
    kilobytes = {"Pss": 0, "Pss_Anon": 0, "SwapPss": 0}
    files = alive = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                name, _, rest = line.partition(":")
                if name in kilobytes:
                    kilobytes[name] += int(rest.split()[0])
            files += len(os.listdir(f"/proc/{pid}/fd"))
            alive += 1
    own = kilobytes["Pss_Anon"] + kilobytes["SwapPss"]
    return ProcessSample(pss=kilobytes["Pss"] / 1024, own=own / 1024, files=files, processes=alive)


def _count(folder: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))
