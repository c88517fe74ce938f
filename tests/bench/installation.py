"""A whole installation for measuring: `manage.py up` on free ports, in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gymsite.services import endpoints
from tests.bench.load import Connection, request_bytes

BASE_DIR = Path(__file__).resolve().parent.parent.parent
READY_S = 120.0
STOP_S = 30.0


@dataclass(frozen=True)
class Installation:
    var_dir: Path
    arena: str
    lab: str
    live: str
    key: str
    env: dict[str, str]

    @property
    def api(self) -> str:
        return f"{self.lab}/api/v1"

    def call(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """One API call; raises when it is refused."""
        connection = Connection(self.lab)
        status, content = connection.ask(request_bytes(method, self.api + path, key=self.key, body=body))
        connection.close()
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {content[:500]!r}")
        return msgspec.json.decode(content)

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=BASE_DIR, env=self.env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def database_url(self, role: str) -> str:
        return endpoints.database_url(self.var_dir, role=role)


@contextlib.contextmanager
def installation(var_dir: Path, **settings: str) -> Iterator[Installation]:
    """Start everything, yield it when it is ready, stop it and remove its folder."""
    shutil.rmtree(var_dir, ignore_errors=True)
    ports = dict(zip(("ARENA_PORT", "LAB_PORT", "LIVE_PORT"), map(str, free_ports(3)), strict=True))
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    env = {**kept, **ports, **settings, "VAR_DIR": str(var_dir)}
    server = subprocess.Popen(
        [sys.executable, "manage.py", "up"], cwd=BASE_DIR, env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        _wait_ready(server)
        made = Installation(
            var_dir=var_dir,
            arena=f"http://127.0.0.1:{ports['ARENA_PORT']}",
            lab=f"http://127.0.0.1:{ports['LAB_PORT']}",
            live=f"http://127.0.0.1:{ports['LIVE_PORT']}",
            key="",
            env=env,
        )
        key = made.manage("create_key", "--name", "bench", "--scopes", "read,trainer,golds")
        yield Installation(**{**vars(made), "key": key})
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(STOP_S)
        shutil.rmtree(var_dir, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on just now."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _wait_ready(server: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + READY_S
    lines = []
    for line in server.stdout or ():
        lines.append(line)
        if line.startswith("Ready in"):
            return
        if time.monotonic() > deadline:
            break
    raise RuntimeError("the installation did not start:\n" + "".join(lines))
