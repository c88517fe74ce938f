"""Worker processes of a server: replaced when they die, gone when their parent is."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gymsite.services import parent_death
from gymsite.services.processes import BASE_DIR
from tests.services.installations import until

COUNT = 2
GONE_S = 15.0
PROGRAM = f"""
import os, pathlib, sys, time
from gymsite.services import server
def serve():
    pathlib.Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(600)
server.workers_run(serve, count={COUNT}, kill_after_s=3)
"""


class Server:
    """A parent and the workers that it has ever had, which are files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], cwd=BASE_DIR)

    def alive(self) -> list[int]:
        pids = (int(path.name) for path in self.folder.iterdir())
        return [pid for pid in pids if parent_death.is_alive(pid)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path)
    try:
        until(lambda: len(started.alive()) == COUNT, seconds=GONE_S, what="both workers run")
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        parent_death.end(started.alive())


def test_a_worker_that_dies_is_replaced(server: Server) -> None:
    first, second = server.alive()
    parent_death.end([first])
    until(lambda: len(server.alive()) == COUNT, seconds=GONE_S, what="another worker runs")
    assert second in server.alive()
    assert first not in server.alive()


def test_a_stop_signal_ends_all(server: Server) -> None:
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(GONE_S) == 0
    assert server.alive() == []


def test_workers_do_not_outlive_a_killed_parent(server: Server) -> None:
    server.process.kill()
    server.process.wait()
    until(lambda: not server.alive(), seconds=GONE_S, what="the workers are gone")
