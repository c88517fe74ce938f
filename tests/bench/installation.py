"""A whole installation for measurements: `manage.py up` on free ports, in its own folder."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gymsite.services import endpoints
from palaestra.protocol.looks import NEUTRAL
from tests.bench.load import Connection, request_bytes
from tests.bench.servers import BASE_DIR, free_ports

PORTS = ("ARENA_PORT", "LAB_PORT", "LIVE_PORT", "METRICS_PORT")
READY_S = 300.0
STOP_S = 30.0
QUESTIONS = ("gsm8k", "math")
MAX_STEPS = 1_000_000


@dataclass(frozen=True)
class Installation:
    var_dir: Path
    arena: str
    lab: str
    live: str
    metrics: str
    key: str
    env: dict[str, str]

    @property
    def api(self) -> str:
        return f"{self.lab}/api/v1"

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Make one API call. Raises if it is refused."""
        connection = Connection(self.lab)
        status, content = connection.ask(request_bytes(method, self.api + path, key=self.key, body=body))
        connection.close()
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {content[:500]!r}")
        return msgspec.json.decode(content)

    def run_create(self, name: str, kind: str = "eval") -> int:
        run = self.call("POST", "/runs", {"name": name, "kind": kind, "model": "none", "simulated": True})
        return int(run["id"])

    def question_ids(self) -> list[int]:
        """Return the tasks of those starter benchmarks whose pages show one question."""
        tasks = self.call("GET", "/tasks?limit=1000")["results"]
        return [task["id"] for task in tasks if task["benchmark"] in QUESTIONS]

    def episodes_open(
        self, run: int, tasks: Sequence[int], count: int | None = None, **fields: object
    ) -> list[dict[str, Any]]:
        """Open one episode per task, or ``count`` episodes with the tasks in turn.

        Pages have the neutral look, because a drawn look would measure another page each time or hide what a
        row clicks. The step budget is large enough for rows that request the same pages over and over.
        """
        turns = [tasks[number % len(tasks)] for number in range(count or len(tasks))]
        body = {"run": run, "tasks": turns, "presentation": dict(NEUTRAL), "max_steps": MAX_STEPS, **fields}
        episodes: list[dict[str, Any]] = self.call("POST", "/episodes", body)["episodes"]
        return episodes

    def module_run(self, module: str, *arguments: object, env: Mapping[str, str] | None = None) -> Any:
        """Run a module of this package with the installation's settings; return the JSON that it prints."""
        return json.loads(self._run("-m", f"tests.bench.{module}", *map(str, arguments), env=env))

    def manage(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Run a management command and return what it printed."""
        return self._run("manage.py", *arguments, env=env).strip()

    def _run(self, *arguments: str, env: Mapping[str, str] | None) -> str:
        command = [sys.executable, *arguments]
        settings = {**self.env, **(env or {})}
        done = subprocess.run(
            command, cwd=BASE_DIR, env=settings, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def database_url(self, role: str) -> str:
        return endpoints.database_url(self.var_dir, role=role)


@contextlib.contextmanager
def installation(var_dir: Path, **settings: str) -> Iterator[Installation]:
    """Start an installation, yield it when it is ready, then stop it and remove its folder."""
    shutil.rmtree(var_dir, ignore_errors=True)
    ports = dict(zip(PORTS, map(str, free_ports(len(PORTS))), strict=True))
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    env = {**inherited, **ports, **settings, "VAR_DIR": str(var_dir)}
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
            metrics=f"http://127.0.0.1:{ports['METRICS_PORT']}/metrics",
            key="",
            env=env,
        )
        key = made.manage("create_key", "--name", "bench", "--scopes", "read,trainer,golds")
        yield Installation(**{**vars(made), "key": key})
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(STOP_S)
        shutil.rmtree(var_dir, ignore_errors=True)


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
