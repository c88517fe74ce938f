"""A running installation grades a run that a judge pays, with nobody beside it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.judges import scene
from tests.services.canaries import manage
from tests.services.installations import until
from tests.services.kills import Installation
from tests.services.traffic import Caller, Ledger

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("swept")]

TERMS = [{"component": "outcome"}, {"component": "judge/watching/grounded", "weight": 0.5}]
GRADED_S = 90.0


class Played:
    """A run that a judge pays, with one answered episode."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        profile = self._call("POST", "rewards/profiles", {"name": "watched", "terms": TERMS})
        run = self._call(
            "POST",
            "runs",
            {"name": "watched", "kind": "eval", "settings": {"reward_profile": profile["reference"]}},
        )
        task = self._call("GET", "tasks?limit=1")["results"][0]["id"]
        opening = {"run": run["id"], "tasks": [task], "arm": "text_agent", "max_steps": 2}
        (episode,) = self._call("POST", "episodes", opening)["episodes"]
        self.episode: int = episode["id"]
        self._call("POST", f"episodes/{self.episode}/steps", {"steps": [{"index": 1}]})
        self._call("POST", f"episodes/{self.episode}/submission", {"answer": scene.GOOD})

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        options = {} if body is None else {"json": body}
        return self._caller.json(method, f"{self._caller.lab}/api/v1/{path}", **options)

    def has_verdict(self) -> bool:
        return self._call("GET", f"episodes/{self.episode}")["verdict"] is not None

    def rewards(self) -> Any:
        return self._call("GET", f"episodes/{self.episode}/rewards")


def test_a_run_that_a_judge_pays_is_graded_as_it_goes(swept: Installation, tmp_path: Path) -> None:
    file = tmp_path / "watching.toml"
    with scene.endpoint(lambda *_: scene.grade("yes")) as url:
        file.write_bytes(scene.toml(url, name="watching", criteria=scene.ONE))
        manage(swept.up, "judge", str(file), "--run", "1")
        caller = Caller(swept.up, swept.key, Ledger(), chance=random.Random(0))
        played = Played(caller)
        until(played.has_verdict, seconds=GRADED_S, what="the answer has a verdict")
        assert played.rewards()["total"] is None
        until(lambda: played.rewards()["total"] is not None, seconds=GRADED_S, what="it is graded")
    rewards = played.rewards()
    assert rewards["components"]["judge/watching/grounded"] == 1.0
    assert rewards["total"] == rewards["terms"]["outcome"] + 0.5
    caller.close()
