"""Small servers to compare rows with, run by granian alone, which costs less per request than a door."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench import load, processor

BASE_DIR = Path(__file__).resolve().parent.parent.parent
STOP_S = 10.0
STAGE_READY_S = 60.0


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
        wait_until_listening(server.url)
        yield server
    finally:
        process.terminate()
        process.wait(STOP_S)


@contextlib.contextmanager
def lab_without_metrics(var_dir: Path) -> Iterator[str]:
    """Run a second lab of an installation without metrics, and yield its URL."""
    (port,) = free_ports(1)
    pid = min(processor.pids_of("gymsite.services.server", "lab", var_dir=var_dir))
    entries = (processor.PROC / str(pid) / "environ").read_bytes().decode().rstrip("\0").split("\0")
    env = dict(entry.split("=", 1) for entry in entries) | {"LAB_PORT": str(port), "METRICS_PORT": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "gymsite.services.server", "lab"], cwd=BASE_DIR, env=env
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_listening(url)
        yield url
    finally:
        process.terminate()
        process.wait(STOP_S)


def stage_spawn(
    lab: str, *, key: str, token: str, port: int, sizes: Sequence[str]
) -> subprocess.Popen[bytes]:
    """Start a stage for a lab, and return it when it listens; ``sizes`` are its options."""
    command = [sys.executable, "-m", "palaestra", "stage", "--server", lab, "--port", str(port)]
    secret = {"PALAESTRA_KEY": key, "PALAESTRA_STAGE_TOKEN": token}
    process = subprocess.Popen([*command, *sizes], cwd=BASE_DIR, env={**os.environ, **secret})
    try:
        wait_until_listening(f"http://127.0.0.1:{port}", limit_s=STAGE_READY_S)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


@contextlib.contextmanager
def scraped(url: str, *, every_s: float) -> Iterator[None]:
    """Read a URL again and again while the block runs."""
    stop = threading.Event()

    def scrape() -> None:
        while not stop.wait(every_s):
            urllib.request.urlopen(url, timeout=STOP_S).read()

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def free_ports(count: int) -> list[int]:
    """Return ports that are currently free."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def wait_until_listening(url: str, *, limit_s: float = 10.0) -> None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            load.Connection(url).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens at {url}")
