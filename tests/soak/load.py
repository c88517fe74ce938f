"""A realistic load: batches of episodes, each from its opening to its verdict, at a steady rate."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from tests.bench import load
from tests.services.kills import Installation
from tests.services.pictures import picture_make

BATCH = 32
PROGRAMS = 1  # episodes per batch that the sandbox judges
ABANDONED = 1  # episodes per batch that are used once and left to the reaper
PICTURES = 2  # steps per batch with a screenshot that has not been sent before
CONNECTIONS = 8
THREADS = 6
PATIENCE_S = 90.0
QUESTIONS = ("gsm8k", "math")
THOUGHT = "The train covers 60 miles in the first hour, so after three hours it has covered 180 miles. " * 6
OUTLINE = "[e1] heading 'Question' level=1\n[e2] textbox 'Answer' focused\n[e3] button 'Submit'\n" * 12


@dataclass
class Tally:
    """The results of the load's calls. ``refused`` counts responses by call and status."""

    episodes: int = 0
    answers: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    late_s: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: str, done: load.Result) -> None:
        with self.lock:
            self.answers += done.answers
            for status, count in done.bad.items():
                self.refused[f"{call}: {status}"] += count


class Harness:
    """Callers with a trainer's key who play episodes of one run without a browser."""

    def __init__(self, installation: Installation, tally: Tally) -> None:
        ports = installation.up.ports
        self.arena, self.lab, self.live = (
            f"http://127.0.0.1:{ports[f'{door}_PORT']}" for door in ("ARENA", "LAB", "LIVE")
        )
        self.key = installation.key
        self.tally = tally
        self._numbers = itertools.count()
        run = {"name": "soak", "kind": "train", "model": "none", "simulated": True}
        self.run = int(self.call("POST", "/runs", run)["id"])
        tasks = self.call("GET", "/tasks?limit=1000")["results"]
        self._questions = [task["id"] for task in tasks if task["benchmark"] in QUESTIONS]
        self._programs = [task["id"] for task in tasks if task["kind"] == "code"]

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Make one API call. Raises if it is refused."""
        connection = load.Connection(self.lab)
        status, content = connection.ask(self._request(method, path, body))
        connection.close()
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {content[:500]!r}")
        return msgspec.json.decode(content)

    def batch(self) -> None:
        """Play a batch, in which every call waits for the previous ones, like the calls of one episode."""
        shown = self._open("gym", self._questions, BATCH - 2 - PROGRAMS)
        written = self._open("text_agent", self._questions, 2)
        programs = self._open("gym", self._programs, PROGRAMS)
        pages, episodes = [*shown, *programs], [*shown, *written, *programs]
        self._all("page", self.arena, [load.request_bytes("GET", one["start_url"]) for one in pages])
        self._all("step", self.lab, [self._step(one["id"], 1) for one in episodes])
        self._pictures([one["id"] for one in shown[:PICTURES]])
        self.call("POST", "/heartbeat", {"episodes": [one["id"] for one in episodes]})
        used = episodes[ABANDONED:]
        self._all("form", self.arena, [self._form(one) for one in pages if one in used])
        answers = [self._post(f"/episodes/{one['id']}/submission", {"answer": "42"}) for one in written]
        self._all("submission", self.lab, answers)
        waits = [f"{self.live}/wait/episodes/{one['id']}?timeout=20" for one in used]
        self._all("wait", self.live, [load.request_bytes("GET", url, key=self.key) for url in waits])
        self._all("step", self.lab, [self._step(one["id"], 9) for one in used])
        self._reads(used[0]["id"])
        with self.tally.lock:
            self.tally.episodes += len(used)

    def _open(self, arm: str, tasks: Sequence[int], count: int) -> list[dict[str, Any]]:
        first = next(self._numbers) * count
        turns = [tasks[number % len(tasks)] for number in range(first, first + count)]
        body = {"run": self.run, "tasks": turns, "arm": arm, "policy_version": first // 10_000}
        episodes: list[dict[str, Any]] = self.call("POST", "/episodes", body)["episodes"]
        return episodes

    def _pictures(self, episodes: Sequence[int]) -> None:
        pictures = [picture_make(f"{self.run} {next(self._numbers)}") for _ in episodes]
        names = [sha256(data).hexdigest() for data in pictures]
        self.call("POST", "/blobs/missing", {"sha256": names})
        self._all("blob", self.lab, [self._blob(*pair) for pair in zip(names, pictures, strict=True)])
        steps = [
            self._step(episode, 2, screenshot=name) for episode, name in zip(episodes, names, strict=True)
        ]
        self._all("step", self.lab, steps)

    def _reads(self, episode: int) -> None:
        """Make the requests of a trainer and of a reader of episodes."""
        after = max(0, self.tally.episodes - 200)
        paths = (
            f"/runs/{self.run}",
            f"/runs/{self.run}/groups?after={after}",
            f"/episodes?run={self.run}&limit=50",
            f"/episodes/{episode}/trajectory",
            "/capacity",
            "/tasks?limit=100",
        )
        self._all("read", self.lab, [self._request("GET", path) for path in paths])

    def _form(self, episode: dict[str, Any]) -> bytes:
        return load.request_bytes("POST", f"{episode['start_url']}submit", form="answer=42")

    def _step(self, episode: int, index: int, *, screenshot: str | None = None) -> bytes:
        step = {
            "index": index,
            "thought": f"{episode} {THOUGHT}",
            "action": {"type": "click", "target": "e3"},
            "action_result": "ok",
            "observation": {"kind": "axtree-v2", "text": f"{OUTLINE}{index}"},
            "duration_ms": 812.5,
            "usage": {"prompt": 900, "completion": 140},
        } | ({"screenshot": screenshot} if screenshot else {})
        return self._post(f"/episodes/{episode}/steps", {"steps": [step]})

    def _post(self, path: str, body: object) -> bytes:
        return self._request("POST", path, body)

    def _request(self, method: str, path: str, body: object = None) -> bytes:
        return load.request_bytes(method, f"{self.lab}/api/v1{path}", key=self.key, body=body)

    def _blob(self, name: str, data: bytes) -> bytes:
        head = self._request("PUT", f"/blobs/{name}").partition(b"\r\n\r\n")[0]
        return head.replace(b"Content-Length: 0", b"Content-Length: %d" % len(data)) + b"\r\n\r\n" + data

    def _all(self, call: str, url: str, requests: list[bytes]) -> None:
        if requests:
            done = load.hammer(url, iter(requests), connections=CONNECTIONS, seconds=PATIENCE_S)
            self.tally.add(call, done)


def rate_measure(harness: Harness, *, seconds: float) -> float:
    """Return the episodes per second if each thread begins its next batch as soon as the last one ends."""
    begun, before = time.monotonic(), harness.tally.episodes
    deadline = begun + seconds
    _together(lambda: _until(deadline, harness.batch))
    return (harness.tally.episodes - before) / (time.monotonic() - begun)


def load_steady(harness: Harness, *, rate: float, seconds: float) -> None:
    """Play ``rate`` episodes per second. A late batch delays those after it, because nothing is caught up."""
    pause_s = THREADS * (BATCH - ABANDONED) / rate
    deadline = time.monotonic() + seconds

    def play() -> None:
        due = time.monotonic()
        while due < deadline:
            time.sleep(max(0.0, due - time.monotonic()))
            harness.batch()
            due += pause_s
            late_s = time.monotonic() - due
            if late_s > 0:
                harness.tally.late_s += late_s
                due += late_s

    _together(play)


def _until(deadline: float, do: Callable[[], None]) -> None:
    while time.monotonic() < deadline:
        do()


def _together(do: Callable[[], None]) -> None:
    """Run ``do`` in every thread, and raise the first error of any thread."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            do()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
