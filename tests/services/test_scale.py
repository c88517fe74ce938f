"""Rollouts by the engine go on while every process of the installation is killed in turn.

`SCALE_EPISODES` and `SCALE_MODEL_S` make it as large as the benchmark: 1,024 and 20.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from pathlib import Path

import pytest

from tests.bench.scale import TURNS, Model, Played, SlowSolver, episodes_play
from tests.services import audit
from tests.services.chaos import SETTINGS, say
from tests.services.flow import golds_of
from tests.services.installations import Up
from tests.services.kills import VICTIMS, Installation, installed

pytestmark = [pytest.mark.services, pytest.mark.slow]

EPISODES = int(os.environ.get("SCALE_EPISODES", "48"))
MODEL_S = float(os.environ.get("SCALE_MODEL_S", "3"))
STEPS = "SELECT episode_id, count(*) FROM trajectories_step GROUP BY 1"


def test_no_rollout_is_lost_while_everything_is_killed_in_turn(tmp_path: Path) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with installed(Up(tmp_path / "var", extra=SETTINGS)) as installation:
        is_over = threading.Event()
        killer = threading.Thread(target=_kill_in_turn, args=(installation, is_over))
        killer.start()
        try:
            played = _played(installation)
        finally:
            is_over.set()
            killer.join()
        say(f"{EPISODES} episodes in {played.seconds:.0f} s, {len(played.lost)} lost")
        assert played.lost == []
        assert {count for _, count in audit.rows(installation.owner_url, STEPS)} == {TURNS}
        assert audit.verdicts_odd(installation.owner_url) == (set(), set())


def _played(installation: Installation) -> Played:
    golds = golds_of(installation.owner_url)
    one = "SELECT id FROM tasks_app_task WHERE benchmark_id IN ('gsm8k', 'math')"
    tasks = [task for (task,) in audit.rows(installation.owner_url, one) if task in golds]
    address = f"http://{installation.up.address}:{installation.up.ports['LAB_PORT']}"
    return asyncio.run(
        episodes_play(
            address,
            installation.key,
            policy=SlowSolver(golds, Model(mean_s=MODEL_S)),
            tasks=tasks,
            count=EPISODES,
            browser_pages=2,
        )
    )


def _kill_in_turn(installation: Installation, is_over: threading.Event) -> None:
    """One after another, evenly over the time that the rollouts take at least."""
    pause = MODEL_S * TURNS / (len(VICTIMS) + 1)
    for victim in VICTIMS:
        if is_over.wait(pause):
            return
        installation.kill(victim)
        say(f"killed {victim}")
