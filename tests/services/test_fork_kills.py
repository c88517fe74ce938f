"""A hundred forks are restored, by the engine and on a stage, while all that takes part is killed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from palaestra.api import Client
from palaestra.api.background import verdict_wait
from palaestra.engine import Engine
from palaestra.env import Env
from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.play.pools import LITE
from palaestra.policies import EpisodeInfo
from palaestra.protocol.looks import NEUTRAL
from palaestra.remote import RemoteEnv
from tests.bench.scale import Model, SlowSolver
from tests.services import audit
from tests.services.chaos import SETTINGS, say
from tests.services.flow import golds_of
from tests.services.installations import Up
from tests.services.kills import Installation, installed
from tests.services.stages import Stage, left_behind, play, stages_start

pytestmark = [pytest.mark.services, pytest.mark.slow]

FORKS, ON_STAGE = 100, 40
AT_ONCE = 8
STEP = 6
VICTIMS = ("arena", "lab", "stage", "postgres")
BETWEEN = 15  # forks that are restored from one kill to the next
POLL_S = 0.05
MODEL_S = 0.3
LOOKS: dict[str, Any] = {"presentation": dict(NEUTRAL), "max_steps": 40}
ENDS = """
SELECT v.outcome, v.reason, count(*), count(DISTINCT e.id) FROM trajectories_episode e
LEFT JOIN trajectories_verdict v ON v.episode_id = e.id WHERE e.parent_id IS NOT NULL GROUP BY 1, 2"""


class CountedSolver(SlowSolver):
    """Notes which forks are restored: those for which it was asked once."""

    def __init__(self, golds: Mapping[int, str], model: Model) -> None:
        super().__init__(golds, model)
        self.begun: set[int] = set()

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        self.begun.add(episode.id)
        return await super().act(observation, episode)


def test_no_fork_is_lost_doubled_or_another_while_everything_is_killed(tmp_path: Path) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with installed(Up(tmp_path / "var", extra=SETTINGS)) as installation:
        lab = f"http://{installation.up.address}:{installation.up.ports['LAB_PORT']}"
        with stages_start(lab, installation.key, count=1, lite_pages=ON_STAGE, pages=0) as stages:
            problems = asyncio.run(_forked(installation, lab, stages))
            assert problems == []
            ends = audit.rows(installation.owner_url, ENDS)
            assert [row for row in ends if row[0] != "correct"] == [], ends
            assert sum(row[2] for row in ends) == FORKS
            assert audit.verdicts_odd(installation.owner_url) == (set(), set())
            assert left_behind(stages) == []


async def _forked(installation: Installation, lab: str, stages: Sequence[Stage]) -> list[str]:
    golds = golds_of(installation.owner_url)
    one = "SELECT id FROM tasks_app_task WHERE benchmark_id = 'gsm8k' ORDER BY id LIMIT 1"
    ((task,),) = audit.rows(installation.owner_url, one)
    policy = CountedSolver(golds, Model(mean_s=MODEL_S))
    async with Client(lab, installation.key) as client:
        fields: dict[str, Any] = {"model": "scripted", "simulated": True, "settings": {"browser": LITE}}
        run = (await client.run_create(name="forks", **fields)).id
        parent = await _parent(client, run, task)
        with _killing(installation, stages, policy) as killed:
            problems, *_ = await asyncio.gather(
                _by_the_engine(client, run, parent, policy), _on_the_stage(stages, run, parent, policy)
            )
    assert len(killed) == len(VICTIMS), f"killed only {killed}"
    return problems


async def _parent(client: Client, run: int, task: int) -> int:
    """An episode with text typed into its page again and again."""
    async with Env("", "", client=client, run=run, browser=LITE, **LOOKS) as env:
        observation = await env.reset(task)
        for step in range(STEP + 1):
            box = observation.text.partition("] textbox")[0].rpartition("[")[2]
            observation, *_ = await env.step(action_line("type", target=box, text=f"{step}", clear=True))
        await env.stop()
        assert env.episode is not None
        assert await verdict_wait(client, env.episode.opened.id, limit_s=60) is not None
        return env.episode.opened.id


async def _by_the_engine(client: Client, run: int, parent: int, policy: CountedSolver) -> list[str]:
    async with Engine(client, pages=AT_ONCE, browser=LITE, verdict_limit_s=120) as engine:
        forks = [{"episode": parent, "step": STEP, "count": 1, "max_steps": 40}] * (FORKS - ON_STAGE)
        done = await engine.fork(run=run, forks=forks, policy=policy)
    return [f"{one.episode}: {one.outcome} {one.problem}" for one in done if one.outcome != "correct"]


async def _on_the_stage(stages: Sequence[Stage], run: int, parent: int, policy: CountedSolver) -> None:
    at_once = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with at_once, RemoteEnv([stages[0].address], stages[0].token, run=run, browser=LITE) as env:
            await play(env, policy, await env.fork(parent, STEP, max_steps=40))

    await asyncio.gather(*(one() for _ in range(ON_STAGE)))


@contextlib.contextmanager
def _killing(
    installation: Installation, stages: Sequence[Stage], policy: CountedSolver
) -> Iterator[list[str]]:
    """In a thread beside the block, as starting a process again blocks; yields who was killed so far."""
    is_over, killed = threading.Event(), list[str]()
    arguments = (installation, stages, policy, is_over, killed)
    killer = threading.Thread(target=_kill_in_turn, args=arguments)
    killer.start()
    try:
        yield killed
    finally:
        is_over.set()
        killer.join()


def _kill_in_turn(
    installation: Installation,
    stages: Sequence[Stage],
    policy: CountedSolver,
    is_over: threading.Event,
    killed: list[str],
) -> None:
    """Each once, as soon as so many forks are restored, and while the others are still to come."""
    for number, victim in enumerate(VICTIMS, start=1):
        while len(policy.begun) < number * BETWEEN:
            if is_over.wait(POLL_S):
                return
        if victim == "stage":
            stages[0].kill()
        else:
            installation.kill(victim)
        killed.append(victim)
        say(f"killed {victim}, with {len(policy.begun)} forks restored")
