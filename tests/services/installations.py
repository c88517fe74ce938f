"""`manage.py up` as a child process of the test, with its own ports and folder."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gymsite.services import parent_death, processes
from gymsite.services.processes import BASE_DIR

PORTS = ("ARENA_PORT", "LAB_PORT", "LIVE_PORT", "METRICS_PORT")
START_S = 90.0
STOP_S = 10.0
POLL_S = 0.05


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(claim: Callable[[], object], *, seconds: float, what: str) -> None:
    """Wait for a claim to become true; fail the test if it does not."""
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds:g} s: {what}")
        time.sleep(POLL_S)


@dataclass
class Up:
    """One installation: its folder, its ports, and how and as which user its Python is called."""

    var_dir: Path
    ports: dict[str, int] = field(default_factory=lambda: {name: free_port() for name in PORTS})
    extra: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable
    account: tuple[int, int] | None = None

    def environment(self) -> dict[str, str]:
        passed = {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ
        }
        ports = {name: str(port) for name, port in self.ports.items()}
        return passed | ports | {"VAR_DIR": str(self.var_dir)} | self.extra

    address = "127.0.0.1"

    def command(self) -> list[str]:
        return [self.python, "manage.py", "up"]

    def spawn(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(),
            cwd=BASE_DIR,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            user=self.account[0] if self.account else None,
            group=self.account[1] if self.account else None,
            extra_groups=[] if self.account else None,
        )

    @contextlib.contextmanager
    def started(self) -> Iterator[Started]:
        """Start the installation and yield it when it is ready; kill whatever is left at the end."""
        process = self.spawn()
        started = Started(self, process)
        try:
            started.read_until("Ready in", seconds=START_S)
            # The housekeeper starts after that, and each of the lab's processes caches its report for a
            # second.
            until(self.is_well, seconds=START_S, what="every process of the lab says that all is well")
            yield started
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(STOP_S)
                process.kill()
            process.communicate()
            parent_death.end(self.descendants())

    def refused(self) -> str:
        """Return the output of a start that must fail with one sentence and status 1."""
        process = self.spawn()
        try:
            output, _ = process.communicate(timeout=START_S)
        finally:
            process.kill()
            process.communicate()
        assert process.returncode == 1, output
        assert "Traceback" not in output
        return output.strip()

    def descendants(self) -> list[int]:
        """Return every process that has the installation's mark or works in its data folders."""
        pids = parent_death.pids_with_environment(processes.MARK, str(self.var_dir))
        for folder, program in (("postgres", "postgres"), ("redis", "redis-server")):
            pids += parent_death.pids_inside(self.var_dir / folder, program=program)
        return pids

    def health(self, setting: str, path: str) -> tuple[int, bytes]:
        """Return the status and body of a GET at one of the doors; status 0 if there is no answer."""
        try:
            with urllib.request.urlopen(
                f"http://{self.address}:{self.ports[setting]}{path}", timeout=5
            ) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def is_well(self) -> bool:
        doors = (("ARENA_PORT", "/healthz"), ("LIVE_PORT", "/wait/health"), ("LAB_PORT", "/api/v1/health"))
        return all(self.health(setting, path)[0] == 200 for setting, path in doors)

    def health_record(self) -> dict[str, str]:
        return json.loads(self.health("LAB_PORT", "/api/v1/health")[1])


@dataclass
class Started:
    """A running supervisor and what it has printed."""

    up: Up
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        return "".join(self.lines)

    @property
    def seconds(self) -> float:
        match = re.search(r"Ready in ([\d.]+) s", self.output)
        assert match
        return float(match[1])

    def read_until(self, words: str, *, seconds: float) -> None:
        """Read lines until one contains the words; fail if the output or the time ends first."""
        assert self.process.stdout
        limit = threading.Timer(seconds, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                self.lines.append(line)
                if words in line:
                    return
        finally:
            limit.cancel()
        pytest.fail(f"ended without {words!r}:\n{self.output}")

    def child(self, name: str) -> int:
        """Return the pid of the direct child that writes the log with this name."""
        for pid in self.children():
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/fd/1").readlink().name == f"{name}.log":
                    return pid
        raise AssertionError(f"{name} does not run")

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def environment_of(self, name: str) -> dict[str, str]:
        raw = Path(f"/proc/{self.child(name)}/environ").read_bytes().decode().rstrip("\0")
        return dict(entry.partition("=")[::2] for entry in raw.split("\0"))

    def interrupt(self) -> float:
        """Send SIGINT, and return the seconds until the process has ended."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(STOP_S + 5)
        return time.monotonic() - began
