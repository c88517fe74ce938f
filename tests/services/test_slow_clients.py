"""Slow and greedy clients at the doors of a whole installation: recording and heartbeats go on."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import psycopg
import pytest

from tests.services.installations import until
from tests.services.kills import Installation

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

# Before, each of these scenes stopped the doors until its clients were gone. Machines of tests are busy ones.
ANSWERED_S = 8.0
MEANWHILE_S = 4.0
CLIENTS = 40
EXPORTED_TASKS = 20_000


@dataclass
class Recording:
    """The installation with an open episode, and what is sent meanwhile."""

    installation: Installation
    http: httpx.Client
    episode: int
    start_url: str
    steps: int = 0

    @property
    def ports(self) -> tuple[int, int]:
        ports = self.installation.up.ports
        return ports["ARENA_PORT"], ports["LAB_PORT"]

    def record(self) -> None:
        """A step and a heartbeat, each answered in time."""
        self.steps += 1
        step = {"index": self.steps, "thought": "on", "action": {"type": "noop"}}
        answer = self.http.post(f"/api/v1/episodes/{self.episode}/steps", json={"steps": [step]})
        assert (answer.status_code, answer.json()["accepted"]) == (200, 1)
        answer = self.http.post("/api/v1/heartbeat", json={"episodes": [self.episode]})
        assert answer.json() == {"alive": 1, "gone": []}

    def go_on(self) -> None:
        """Record for a while. The client's time-out bounds each call."""
        before, deadline = self.steps, time.monotonic() + MEANWHILE_S
        while time.monotonic() < deadline:
            self.record()
        assert self.steps - before >= 5


@pytest.fixture(scope="module")
def scene(installation: Installation) -> Iterator[Recording]:
    lab = f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}"
    headers = {"Authorization": f"Bearer {installation.key}"}
    with httpx.Client(base_url=lab, headers=headers, trust_env=False, timeout=ANSWERED_S) as http:
        tasks = http.get("/api/v1/tasks?benchmark=gsm8k&limit=1").json()["results"]
        run = http.post("/api/v1/runs", json={"name": "r", "kind": "eval", "model": "none"}).json()
        opening = {"run": run["id"], "tasks": [tasks[0]["id"]], "arm": "gym", "max_steps": 100_000}
        (episode,) = http.post("/api/v1/episodes", json=opening).json()["episodes"]
        yield Recording(installation, http, episode["id"], episode["start_url"])


@contextlib.contextmanager
def senders(port: int, request: bytes, *, count: int) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=ANSWERED_S))
            for _ in range(count)
        ]
        for client in clients:
            client.sendall(request)
        yield clients


def half_sent(path: str) -> bytes:
    kind = "Content-Type: application/x-www-form-urlencoded"
    return f"POST {path} HTTP/1.1\r\nHost: x\r\n{kind}\r\nContent-Length: 500\r\n\r\nanswer=".encode()


def test_half_sent_bodies_stop_neither_door(scene: Recording) -> None:
    arena, lab = scene.ports
    path = scene.start_url.partition(f":{arena}")[2]
    with (
        senders(arena, half_sent(f"{path}submit"), count=CLIENTS),
        senders(lab, half_sent("/login/"), count=CLIENTS),
    ):
        scene.go_on()
        for _ in range(5):
            assert scene.http.get(scene.start_url).status_code == 200
            assert scene.http.get(f"http://127.0.0.1:{lab}/login/").status_code == 200


def test_half_sent_heads_stop_neither_door(scene: Recording) -> None:
    arena, lab = scene.ports
    with (
        senders(arena, b"GET / HTTP/1.1\r\n", count=CLIENTS),
        senders(lab, b"GET / HTTP/1.1\r\n", count=CLIENTS),
    ):
        scene.go_on()
        assert scene.http.get(scene.start_url).status_code == 200


def test_slow_uploads_do_not_stop_recording(scene: Recording) -> None:
    content = b"x" * 1_000_000
    name = hashlib.sha256(content).hexdigest()
    head = (
        f"PUT /api/v1/blobs/{name} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {scene.installation.key}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    is_over = threading.Event()

    def trickle(client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while not is_over.wait(0.1):
                client.sendall(content[:200])  # 2 kB/s

    with senders(scene.ports[1], head.encode(), count=CLIENTS) as clients:
        threads = [threading.Thread(target=trickle, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            scene.go_on()
            upload = scene.http.put(f"/api/v1/blobs/{name}", content=content)
            assert upload.status_code == 201
        finally:
            is_over.set()
            for thread in threads:
                thread.join()


def test_slow_exports_stop_nothing_and_hold_no_transaction(scene: Recording) -> None:
    with psycopg.connect(scene.installation.owner_url, autocommit=True) as owner:
        _tasks_make(owner)
        path = "/api/v1/tasks/export?benchmark=gsm8k&split=slow"
        request = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {scene.installation.key}\r\n\r\n"
        with senders(scene.ports[1], request.encode(), count=CLIENTS) as clients:
            starts = [client.recv(20) for client in clients]
            statuses = {start.split()[1] for start in starts}
            assert statuses == {b"200", b"429"}, "exports past the limit are refused"
            scene.go_on()
            assert scene.http.get("/login/").status_code == 200
            assert _oldest_transaction_s(owner) < MEANWHILE_S
        # The door notices only at its next part that a client is gone; until then it refuses further exports.
        until(lambda: _exported(scene.http, path) is not None, seconds=ANSWERED_S, what="an export that ends")
        assert _exported(scene.http, path) == EXPORTED_TASKS


def _exported(http: httpx.Client, path: str) -> int | None:
    """The number of exported tasks; None where the export is refused for now."""
    with http.stream("GET", path) as answer:
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            return None
        return sum(1 for _ in answer.iter_lines())


def _tasks_make(owner: psycopg.Connection) -> None:
    owner.execute(
        """
        INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate,
            oracle_steps, gap_eligible, gap_reason, content_hash)
        SELECT 'gsm8k', 'slow', n::text, 'free_answer', repeat('word ', 400),
            jsonb_build_object('text', repeat('word ', 400), 'format', 'plain'),
            '{}', 0, 2, true, '', n::text
        FROM generate_series(1, %s) n""",
        [EXPORTED_TASKS],
    )


def _oldest_transaction_s(owner: psycopg.Connection) -> float:
    """Of the lab's, in seconds."""
    row = owner.execute(
        "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0) FROM pg_stat_activity"
        " WHERE application_name LIKE 'palaestra-lab %'"
    ).fetchone()
    assert row
    return float(row[0])
