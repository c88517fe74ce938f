"""Rollouts, by the engine and on stages, go on while every process of the installation and every stage is
killed in turn.

`SCALE_EPISODES` and `SCALE_MODEL_S` make it as large as the benchmark: 1,024 and 20.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from palaestra.api import Client
from palaestra.play.pools import LITE
from tests.bench.scale import TURNS, Model, Played, SlowSolver, episodes_play
from tests.services import audit
from tests.services.chaos import SETTINGS, say
from tests.services.flow import golds_of
from tests.services.installations import Up
from tests.services.kills import VICTIMS, Installation, installed
from tests.services.stages import Stage, left_behind, rewards_on, stages_start

pytestmark = [pytest.mark.services, pytest.mark.slow]

EPISODES = int(os.environ.get("SCALE_EPISODES", "48"))
MODEL_S = float(os.environ.get("SCALE_MODEL_S", "3"))
LITE_RUN = {"browser": LITE}
STAGES, STAGE_EPISODES = 2, EPISODES // 4
BROWSER_PAGES = STAGE_PAGES = max(2, EPISODES // 64)
STEPS = "SELECT episode_id, count(*) FROM trajectories_step GROUP BY 1"


def test_no_rollout_is_lost_while_everything_is_killed_in_turn(tmp_path: Path) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with installed(Up(tmp_path / "var", extra=SETTINGS)) as installation, _staged(installation) as stages:
        played, *rewards = asyncio.run(_played(installation, stages))
        say(f"{EPISODES} episodes in {played.seconds:.0f} s, {len(played.lost)} lost")
        assert played.lost == []
        assert rewards == [[1.0] * STAGE_EPISODES, [1.0] * STAGE_PAGES]
        assert {count for _, count in audit.rows(installation.owner_url, STEPS)} == {TURNS}
        assert audit.verdicts_odd(installation.owner_url) == (set(), set())
        assert left_behind(stages) == []


def _lab(installation: Installation) -> str:
    return f"http://{installation.up.address}:{installation.up.ports['LAB_PORT']}"


def _staged(installation: Installation) -> AbstractContextManager[list[Stage]]:
    lab, key = _lab(installation), installation.key
    return stages_start(lab, key, count=STAGES, lite_pages=STAGE_EPISODES, pages=STAGE_PAGES)


async def _played(
    installation: Installation, stages: Sequence[Stage]
) -> tuple[Played, list[float | None], list[float | None]]:
    """A quarter of the episodes on stages, the others by the engine; and some in the browsers of stages."""
    golds = golds_of(installation.owner_url)
    one = "SELECT id FROM tasks_app_task WHERE benchmark_id IN ('gsm8k', 'math')"
    tasks = [task for (task,) in audit.rows(installation.owner_url, one) if task in golds]
    policy, lab, key = SlowSolver(golds, Model(mean_s=MODEL_S)), _lab(installation), installation.key
    on_stages = [tasks[number % len(tasks)] for number in range(STAGE_EPISODES)]
    async with Client(lab, key) as client:
        scripted: dict[str, Any] = {"model": "scripted", "simulated": True}
        lite = await client.run_create(name="stages, lite", settings=LITE_RUN, **scripted)
        run = await client.run_create(name="stages, in browsers", **scripted)
        # The killing starts here: a client waits longer for a server that has answered it before.
        with _killing(installation, stages):
            return await asyncio.gather(
                episodes_play(
                    client,
                    policy=policy,
                    tasks=tasks,
                    count=EPISODES - STAGE_EPISODES,
                    browser_pages=BROWSER_PAGES,
                ),
                rewards_on(stages, policy, run=lite.id, browser=LITE, tasks=on_stages),
                rewards_on(stages, policy, run=run.id, browser="chromium", tasks=on_stages[:STAGE_PAGES]),
            )


@contextlib.contextmanager
def _killing(installation: Installation, stages: Sequence[Stage]) -> Iterator[None]:
    """In a thread beside the block, as starting a process again blocks."""
    is_over = threading.Event()
    killer = threading.Thread(target=_kill_in_turn, args=(installation, stages, is_over))
    killer.start()
    try:
        yield
    finally:
        is_over.set()
        killer.join()


def _kill_in_turn(installation: Installation, stages: Sequence[Stage], is_over: threading.Event) -> None:
    """One after another, evenly over the time that the rollouts take at least."""
    first, *others = ((f"stage {number}", stage.kill) for number, stage in enumerate(stages))
    kills = dict([first, *((name, partial(installation.kill, name)) for name in VICTIMS), *others])
    pause = MODEL_S * TURNS / (len(kills) + 1)
    for victim, kill in kills.items():
        if is_over.wait(pause):
            return
        kill()
        say(f"killed {victim}")
