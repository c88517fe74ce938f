"""A lab that sleeps or cannot be reached takes no episode away; episodes that nobody goes on with do end."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.conftest import LEASE_S
from tests.services.installations import until
from tests.services.kills import Installation
from tests.services.traffic import Caller, Ledger

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("swept")]

BUSY, ABANDONED = 10, 3
ASLEEP_S = LEASE_S + 3
SETTLED_S = LEASE_S + 4
REAPED_S = 90.0
BEAT_S = 1.0


@contextlib.contextmanager
def asleep(pids: Iterable[int]) -> Iterator[None]:
    """Processes that stand still, as in a machine that sleeps."""
    stopped = list(pids)
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


class Harness:
    """Episodes of which only the first ``BUSY`` are gone on with."""

    def __init__(self, installation: Installation) -> None:
        self.caller = Caller(installation.up, installation.key, Ledger(), chance=random.Random(0))
        run = self.post("runs", {"name": "leases", "kind": "eval"})
        task = self.caller.json("GET", f"{self.caller.lab}/api/v1/tasks?limit=1")["results"][0]["id"]
        opening = {"run": run["id"], "tasks": [task], "arm": "text_agent", "max_steps": 9}
        opening["samples_per_task"] = BUSY + ABANDONED
        episodes = [episode["id"] for episode in self.post("episodes", opening)["episodes"]]
        self.busy, self.abandoned = episodes[:BUSY], episodes[BUSY:]
        for episode in episodes:
            self.step(episode, 1)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.caller.json("POST", f"{self.caller.lab}/api/v1/{path}", json=body)

    def step(self, episode: int, index: int) -> str:
        return self.post(f"episodes/{episode}/steps", {"steps": [{"index": index}]})["status"]

    def beat(self, *, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.post("heartbeat", {"episodes": self.busy})
            time.sleep(BEAT_S)

    def reasons(self, episodes: list[int]) -> list[str | None]:
        verdicts = [
            self.caller.json("GET", f"{self.caller.lab}/api/v1/episodes/{episode}")["verdict"]
            for episode in episodes
        ]
        return [verdict["reason"] if verdict else None for verdict in verdicts]

    def has_reaped(self) -> bool:
        self.beat(seconds=BEAT_S)
        return self.reasons(self.abandoned) == ["lease_lost"] * ABANDONED


def test_only_what_was_abandoned_is_void_after_a_sleep_and_an_outage(swept: Installation) -> None:
    harness = Harness(swept)
    harness.beat(seconds=LEASE_S)
    machine = {swept.now.process.pid, *swept.up.descendants()}
    for pids in (machine, _door(swept, "lab")):
        with asleep(pids):
            time.sleep(ASLEEP_S)
        harness.beat(seconds=SETTLED_S)
        assert harness.reasons(harness.busy) == [None] * BUSY
    until(harness.has_reaped, seconds=REAPED_S, what="abandoned episodes are void")
    assert [harness.step(episode, 2) for episode in harness.busy] == ["open"] * BUSY
    harness.caller.close()


def _door(installation: Installation, name: str) -> set[int]:
    """A door's process and its workers."""
    pid = installation.now.child(name)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {pid, *map(int, children)}
