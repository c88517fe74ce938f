"""Rollouts that stages play: as the engine's own, group by group, and what happens when something fails."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Client, PageDead, PalaestraError, RemoteEnv, Unreachable
from palaestra.doors.rollouts import STAGE_TOKEN, Rollouts
from palaestra.engine import Engine
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.remote_engine import RemoteEngine
from palaestra.rollouts import Rollout
from stages import LITE_RUN, TOKEN, stage_serve

SOLUTIONS = {task: Solution(task=task, answer="42", solution="Half of 84 is 42.") for task in range(1, 30)}


@pytest_asyncio.fixture
async def addresses(fake: FakeServer) -> AsyncIterator[list[str]]:
    """Two stages, each with three pages."""
    fake.state.runs.append(LITE_RUN)
    async with AsyncExitStack() as stack:
        stages = [await stack.enter_async_context(stage_serve(fake, pages=0, lite_pages=3)) for _ in range(2)]
        yield [address for _, address in stages]


def engine_make(addresses: list[str], **settings: Any) -> RemoteEngine:
    return RemoteEngine(addresses, TOKEN, browser="lite", **{"inflight": 4, "patience_s": 20.0, **settings})


class Silent:
    """A policy that never has anything to say, in one of several ways, and counts how many wait at once."""

    name, simulated = "silent", True

    def __init__(self, how: str = "") -> None:
        self.how = how
        self.now = self.most = 0

    async def act(self, _: Any, episode: EpisodeInfo) -> str | None:
        self.now, self.most = self.now + 1, max(self.most, self.now + 1)
        await asyncio.sleep(30 if self.how == "think" else 0.05)
        self.now -= 1
        if self.how == "raise":
            raise RuntimeError("no model here")
        return None


def outcomes(done: list[Rollout]) -> list[tuple[int, str, int, str]]:
    return sorted((one.task, one.outcome, one.steps, one.problem) for one in done)


async def test_rollouts_are_those_of_the_engine(addresses: list[str], fake: FakeServer) -> None:
    rollout: dict[str, Any] = {"run": 7, "tasks": [1, 2, 3], "samples_per_task": 3, "policy_version": 5}
    async with Client(fake.lab_url, "key") as client, Engine(client, browser="lite") as engine:
        here = await engine.rollout(policy=Solver(SOLUTIONS), **rollout)
    steps = [fake.state.episodes[one.episode]["steps"] for one in here]
    there = await engine_make(addresses).rollout(policy=Solver(SOLUTIONS), **rollout)

    assert outcomes(there) == outcomes(here)
    assert {one.outcome for one in there} == {"correct"}
    assert sorted(Counter(one.group for one in there).values()) == [3, 3, 3]
    assert len({(one.task, one.group) for one in there}) == 3
    opened = [fake.state.episodes[one.episode] for one in there]
    assert {one["body"]["policy_version"] for one in opened} == {5}
    raw = [sorted(step["raw"] for step in one.values()) for one in steps]
    assert sorted(sorted(step["raw"] for step in one["steps"].values()) for one in opened) == sorted(raw)


async def test_at_most_so_many_are_played_at_once(addresses: list[str]) -> None:
    policy = Silent()
    done = await engine_make(addresses, inflight=2).rollout(
        run=7, tasks=[1, 2], policy=policy, samples_per_task=3
    )
    assert (len(done), policy.most) == (6, 2)


@pytest.mark.parametrize(
    ("how", "reason"), [("", "agent_stopped"), ("raise", "model_error"), ("think", "time_budget")]
)
async def test_a_policy_that_takes_no_turn_ends_its_episode(
    how: str, reason: str, addresses: list[str], fake: FakeServer
) -> None:
    engine = engine_make(addresses, time_limit_s=0.2 if how == "think" else 600.0)
    (done,) = await engine.rollout(run=7, tasks=[1], policy=Silent(how))
    assert done.verdict is not None
    assert (done.verdict.reason, done.steps) == (reason, 0)


async def test_what_breaks_one_episode_leaves_the_others(
    addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = RemoteEnv.step

    async def step(env: RemoteEnv, completion: Any) -> Any:
        assert env.episode is not None
        if env.episode.opened.task == 1:
            raise PalaestraError("the stage answered nonsense")
        return await taken(env, completion)

    monkeypatch.setattr(RemoteEnv, "step", step)
    broken, sound = await engine_make(addresses).rollout(run=7, tasks=[1, 2], policy=Solver(SOLUTIONS))
    assert (broken.outcome, sound.outcome) == ("void", "correct")
    assert "nonsense" in broken.problem
    assert broken.verdict is not None
    assert broken.verdict.reason == "harness_error"


@pytest.mark.parametrize(("failures", "outcome"), [(2, "correct"), (3, "")])
async def test_a_page_that_breaks_at_first_costs_a_try(
    failures: int, outcome: str, addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, left = RemoteEnv.reset, [PageDead("the page crashed")] * failures

    async def reset(env: RemoteEnv, task: int, **options: Any) -> Any:
        await begun(env, task, **options)
        if left:
            raise left.pop()

    monkeypatch.setattr(RemoteEnv, "reset", reset)
    rollout = engine_make(addresses).rollout(run=7, tasks=[1], policy=Solver(SOLUTIONS))
    if outcome:
        assert [one.outcome for one in await rollout] == [outcome]
    else:
        with pytest.raises(PageDead):
            await rollout


async def test_without_a_stage_nothing_is_rolled_out() -> None:
    engine = engine_make(["http://127.0.0.1:1"], patience_s=0.1)
    with pytest.raises(Unreachable, match="No stage answers"):
        await engine.rollout(run=7, tasks=[1, 2], policy=Silent())


async def test_a_door_plays_on_stages(
    addresses: list[str], fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts = Rollouts("", "", run=7, browser="lite", stages=addresses)
    with pytest.raises(PalaestraError, match=STAGE_TOKEN):
        async with rollouts.env():
            pass
    monkeypatch.setenv(STAGE_TOKEN, TOKEN)
    async with rollouts.env() as one, rollouts.env() as another:
        for env in (one, another):
            observation = await rollouts.reset(env, 3, round_="first")
            assert "Your answer" in observation.text
    episodes = fake.state.episodes.values()
    assert [(episode["group"], episode["sample_index"]) for episode in episodes] == [(1, 0), (1, 1)]
    assert ("GET", "/api/v1/episodes") not in fake.state.calls
