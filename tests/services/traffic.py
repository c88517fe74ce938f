"""A harness that never gives up: it opens, steps, submits and waits, and records what was acknowledged."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.services.installations import Up
from tests.services.pictures import picture_make

RETRY_S = 0.1
DOUBT = 0.1  # how often a response is treated as lost, so that the call is sent again
GIVE_UP_S = 60.0
REQUEST_S = 10.0
WAIT_S = 3
TASKS_PER_BATCH = 3
SAMPLES_PER_TASK = 2
MAX_STEPS = 20
STEPS = 4  # the first is posted alone, then two together, then one after the submission
WRONG = "-987654321"


@dataclass
class Ledger:
    """What the servers have acknowledged. ``expected`` has each episode's answer and deserved outcome."""

    opened: set[int] = field(default_factory=set)
    tokens: list[str] = field(default_factory=list)
    steps: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    expected: dict[int, tuple[str, str]] = field(default_factory=dict)
    blobs: dict[str, int] = field(default_factory=dict)  # sizes
    waited: dict[int, str] = field(default_factory=dict)
    streamed: list[int] = field(default_factory=list)
    retries: int = 0
    duplicates: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def flow(self) -> tuple[int, int, int]:
        """The numbers of steps, submissions and verdicts so far."""
        return len(self.steps), len(self.expected), len(self.streamed)

    def note_retry(self) -> None:
        with self.lock:
            self.retries += 1


class Caller:
    """One thread's connections. Each call is sent again, unchanged, until it is answered."""

    def __init__(self, up: Up, key: str, ledger: Ledger, *, chance: random.Random) -> None:
        self._ledger = ledger
        self._chance = chance
        self._http = httpx.Client(timeout=REQUEST_S, trust_env=False)
        self._bearer = {"Authorization": f"Bearer {key}"}
        self.lab, self.live = (f"http://{up.address}:{up.ports[name]}" for name in ("LAB_PORT", "LIVE_PORT"))

    def close(self) -> None:
        self._http.close()

    def json(self, method: str, url: str, **options: Any) -> Any:
        """Make a call with the key and return the decoded response; fail if no retry could change it."""
        headers = self._bearer | options.pop("headers", {})
        answer = self.ask(method, url, headers=headers, **options)
        assert answer.is_success, f"{method} {url}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def ask(self, method: str, url: str, **options: Any) -> httpx.Response:
        deadline = time.monotonic() + GIVE_UP_S
        last = "no answer"
        while time.monotonic() < deadline:
            try:
                answer = self._http.request(method, url, **options)
            except httpx.TransportError as error:
                last = repr(error)
            else:
                if not _is_passing(answer) and self._chance.random() >= DOUBT:
                    return answer
                last = f"{answer.status_code} {answer.text[:200]}"
            self._ledger.note_retry()
            time.sleep(RETRY_S)
        raise AssertionError(f"{method} {url} was not answered within {GIVE_UP_S:g} s: {last}")


def _is_passing(answer: httpx.Response) -> bool:
    """Return whether the call may succeed later: after our failures, or while a duplicate is in progress."""
    return answer.status_code >= 500 or '"in_progress"' in answer.text


@dataclass(frozen=True)
class Traffic:
    """Rollouts of one run. ``golds`` are the correct answers by task."""

    up: Up
    key: str
    run: int
    golds: dict[int, str]
    ledger: Ledger
    stop: threading.Event = field(default_factory=threading.Event)
    is_over: threading.Event = field(default_factory=threading.Event)

    def rollouts(self, seed: int) -> None:
        """Run one batch after the other until stopped; a batch that has begun is finished."""
        chance = random.Random(seed)
        caller = Caller(self.up, self.key, self.ledger, chance=chance)
        try:
            while not self.stop.is_set():
                self._batch(caller, chance)
        finally:
            caller.close()

    def stream(self) -> None:
        """Follow the run's verdicts from the first one until everything is over."""
        caller = Caller(self.up, self.key, self.ledger, chance=random.Random(self.run))
        after = 0
        try:
            while not self.is_over.is_set():
                query = {"after": after, "timeout": WAIT_S}
                page = caller.json("GET", f"{caller.live}/wait/runs/{self.run}/verdicts", params=query)
                self.ledger.streamed += [record["episode"] for record in page["results"]]
                assert page["next"] == after + len(page["results"])
                after = page["next"]
        finally:
            caller.close()

    def _batch(self, caller: Caller, chance: random.Random) -> None:
        arm = chance.choice(["gym", "text_agent"])
        opening = {
            "run": self.run,
            "tasks": chance.sample(sorted(self.golds), TASKS_PER_BATCH),
            "arm": arm,
            "samples_per_task": SAMPLES_PER_TASK,
            "max_steps": MAX_STEPS,
        }
        once = {"Idempotency-Key": uuid4().hex}
        answer = caller.json("POST", f"{caller.lab}/api/v1/episodes", json=opening, headers=once)
        episodes = answer["episodes"]
        self.ledger.opened |= {episode["id"] for episode in episodes}
        self.ledger.tokens += [episode["start_url"].split("/")[-2] for episode in episodes if arm == "gym"]
        for indexes in ([1], [2, 3]):
            for episode in episodes:
                self._steps(caller, episode["id"], indexes)
        self._blob(caller)
        for episode in episodes:
            self._submit(caller, episode, is_right=chance.random() < 0.5)
        self._wait(caller, chance.choice(episodes)["id"])
        for episode in episodes:
            self._steps(caller, episode["id"], [STEPS])

    def _steps(self, caller: Caller, episode: int, indexes: list[int]) -> None:
        steps = [
            {
                "index": index,
                "thought": f"thought {uuid4().hex}",
                "action": {"type": "wait", "ms": index},
                "observation": {"kind": "axtree-v2", "text": f"page {uuid4().hex}"},
            }
            for index in indexes
        ]
        url = f"{caller.lab}/api/v1/episodes/{episode}/steps"
        answer = caller.json("POST", url, json={"steps": steps})
        assert answer["accepted"] + answer["duplicates"] == len(steps), answer
        self.ledger.duplicates += answer["duplicates"]
        for step in steps:
            self.ledger.steps[episode, step["index"]] = (step["thought"], step["observation"]["text"])

    def _blob(self, caller: Caller) -> None:
        data = picture_make(uuid4().hex)
        name = hashlib.sha256(data).hexdigest()
        caller.json("PUT", f"{caller.lab}/api/v1/blobs/{name}", content=data)
        self.ledger.blobs[name] = len(data)

    def _submit(self, caller: Caller, episode: dict[str, Any], *, is_right: bool) -> None:
        answer = self.golds[episode["task"]] if is_right else WRONG
        if episode["start_url"]:
            page = caller.ask("GET", episode["start_url"])
            assert page.status_code == 200, page.text
            done = caller.ask("POST", f"{episode['start_url']}submit", data={"answer": answer})
            assert done.status_code == 303, f"{done.status_code} {done.text}"
        else:
            url = f"{caller.lab}/api/v1/episodes/{episode['id']}/submission"
            caller.json("POST", url, json={"answer": answer})
        self.ledger.expected[episode["id"]] = (answer, "correct" if is_right else "incorrect")

    def _wait(self, caller: Caller, episode: int) -> None:
        """Wait for one verdict through live, as a harness does."""
        deadline = time.monotonic() + GIVE_UP_S
        while time.monotonic() < deadline:
            url = f"{caller.live}/wait/episodes/{episode}"
            record = caller.json("GET", url, params={"timeout": WAIT_S})
            if record["verdict"]:
                self.ledger.waited[episode] = record["verdict"]["outcome"]
                return
        raise AssertionError(f"episode {episode} has no verdict after {GIVE_UP_S:g} s")
