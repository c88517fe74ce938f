"""Programs that a sandbox worker judges at the same time."""

from __future__ import annotations

import contextlib
import random
import shutil
from typing import Any

import pytest

from tests.services.installations import until
from tests.services.kills import Installation
from tests.services.traffic import Caller, Ledger

pytestmark = [
    pytest.mark.services,
    pytest.mark.slow,
    pytest.mark.xdist_group("installation"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]

ENDLESS = "while True: pass"
WRONG = "def nothing(): ..."
JUDGED_S = 60.0


def test_an_endless_loop_leaves_the_other_sandbox_to_the_others(installation: Installation) -> None:
    with contextlib.closing(
        Caller(installation.up, installation.key, Ledger(), chance=random.Random(0))
    ) as caller:
        episodes = _open(caller, count=3)
        looping, *others = (episode["id"] for episode in episodes)
        for episode, program in zip(episodes, (ENDLESS, WRONG, WRONG), strict=True):
            done = caller.ask("POST", f"{episode['start_url']}submit", data={"answer": program})
            assert done.status_code == 303

        until(lambda: all(_outcome(caller, each) for each in others), seconds=JUDGED_S, what="are judged")
        assert _outcome(caller, looping) is None
        until(lambda: _outcome(caller, looping), seconds=JUDGED_S, what="the loop is judged")
        assert {_outcome(caller, episode["id"]) for episode in episodes} == {"incorrect"}
        until(lambda: len(_gone(caller, episodes)) == len(episodes), seconds=5, what="heartbeats say so")


def _open(caller: Caller, *, count: int) -> list[dict[str, Any]]:
    api = f"{caller.lab}/api/v1"
    tasks = caller.json("GET", f"{api}/tasks", params={"benchmark": "mbpp", "split": "starter"})["results"]
    run = caller.json("POST", f"{api}/runs", json={"name": "programs", "kind": "eval", "simulated": True})
    body = {"run": run["id"], "tasks": [tasks[0]["id"]] * count, "arm": "gym"}
    opened: list[dict[str, Any]] = caller.json("POST", f"{api}/episodes", json=body)["episodes"]
    return opened


def _outcome(caller: Caller, episode: int) -> str | None:
    verdict = caller.json("GET", f"{caller.lab}/api/v1/episodes/{episode}")["verdict"]
    return verdict["outcome"] if verdict else None


def _gone(caller: Caller, episodes: list[dict[str, Any]]) -> list[int]:
    body = {"episodes": [episode["id"] for episode in episodes]}
    gone: list[int] = caller.json("POST", f"{caller.lab}/api/v1/heartbeat", json=body)["gone"]
    return gone
