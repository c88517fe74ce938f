"""Small servers to compare a row with, run by granian alone: it costs a request less than a door."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench import load

BASE_DIR = Path(__file__).resolve().parent.parent.parent
STOP_S = 10.0


@dataclass(frozen=True)
class Server:
    url: str
    pid: int


@contextlib.contextmanager
def wsgi_server(application: str, *options: str, workers: int, env: Mapping[str, str]) -> Iterator[Server]:
    """Serve a WSGI ``application`` on a free port; ``options`` are granian's."""
    (port,) = free_ports(1)
    command = [
        *(str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--port", str(port)),
        *("--workers", str(workers), "--no-log", *options, application),
    ]
    process = subprocess.Popen(command, cwd=BASE_DIR, env={**os.environ, **env})
    server = Server(f"http://127.0.0.1:{port}", process.pid)
    try:
        _wait_until_listening(server.url)
        yield server
    finally:
        process.terminate()
        process.wait(STOP_S)


def free_ports(count: int) -> list[int]:
    """Ports that are free at the moment."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _wait_until_listening(url: str) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError):
            load.Connection(url).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens at {url}")
