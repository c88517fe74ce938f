"""The processes that can be killed, by name, and an installation whose supervisor can be killed as well."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from gymsite.services import endpoints, parent_death
from gymsite.services.processes import PROCESSES
from tests import database_template
from tests.services.installations import START_S, Started, Up, until

DOORS = ("arena", "lab", "live")
RESTART_S = 40.0  # a child that was killed before may still be waiting for its restart


@dataclass
class Installation:
    """An installation that is started repeatedly, always with the same folder and ports."""

    up: Up
    starts: list[Started] = field(default_factory=list)

    @property
    def now(self) -> Started:
        return self.starts[-1]

    @property
    def key(self) -> str:
        """The first API key, which the first start prints."""
        match = re.search(r"key +(gym_\S+)", self.starts[0].output)
        assert match, self.starts[0].output
        return match[1]

    @property
    def owner_url(self) -> str:
        return endpoints.database_url(self.up.var_dir, role="owner")

    def start(self) -> None:
        self.starts.append(Started(self.up, self.up.spawn()))
        self.now.read_until("Ready in", seconds=START_S)

    def kill(self, victim: str) -> None:
        """Send SIGKILL to one process.

        A supervisor is started again immediately, while its leftovers are still dying.
        """
        if victim == "supervisor":
            self.now.process.kill()
            self.now.process.wait()
            self.start()
            return
        pid = self.running(victim)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def running(self, victim: str) -> int:
        """Return a process's id once it runs, because it may have been killed a moment ago."""
        pids: list[int] = []

        def is_running() -> bool:
            with contextlib.suppress(AssertionError, OSError, psycopg.Error):
                pids.extend(VICTIMS[victim](self))
            return bool(pids)

        until(is_running, seconds=RESTART_S, what=f"{victim} runs")
        return pids[0]


@contextlib.contextmanager
def installed(up: Up) -> Iterator[Installation]:
    """Start an installation and yield it when it is ready; kill whatever is left at the end.

    A new installation gets data that needs no migration.
    """
    if not up.var_dir.exists():
        database_template.data_copy(up.var_dir)
    installation = Installation(up)
    try:
        installation.start()
        yield installation
    finally:
        for started in installation.starts:
            started.process.kill()
            started.process.communicate()
        parent_death.end(up.descendants())
        shutil.rmtree(endpoints.socket_folder(up.var_dir), ignore_errors=True)


def _child(name: str) -> Callable[[Installation], list[int]]:
    return lambda installation: [installation.now.child(name)]


def _grandchild(name: str) -> Callable[[Installation], list[int]]:
    return lambda installation: _children(installation.now.child(name))


def verifier_children(installation: Installation) -> list[int]:
    """Return the children of the first verify worker's helpers, a forkserver and a resource tracker."""
    helpers = _children(installation.now.child("worker-verify"))
    return [pid for helper in helpers for pid in _children(helper)]


def _backends(installation: Installation) -> list[int]:
    """Return the server processes of the lab's connections; Postgres treats the death of one as a crash."""
    with psycopg.connect(installation.owner_url) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'gym_lab'").fetchall()
    return [pid for (pid,) in rows]


def _children(parent: int) -> list[int]:
    pids = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and fields[0] not in "ZX":
                pids.append(int(stat.parent.name))
    return sorted(pids)


def _victims() -> dict[str, Callable[[Installation], list[int]]]:
    """Return all processes in the table, the first worker of each, if any, and others that can die."""
    victims = {process.name: _child(process.name) for process in PROCESSES}
    for process in PROCESSES:
        if process.kind in DOORS or (process.queue and process.queue.pool == "prefork"):
            victims[f"{process.name}'s worker"] = _grandchild(process.name)
    return victims | {
        "verifier's child": verifier_children,
        "redis": _child("redis"),
        "postgres": _child("postgres"),
        "postgres' backend": _backends,
    }


VICTIMS = _victims()
