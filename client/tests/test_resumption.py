"""A run goes on whatever became of single episodes, and only plain episodes are its samples."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import ApiError, Client, Observation, RemoteEnv
from palaestra.engine import Engine
from palaestra.errors import ForkDiverged
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.run.plan import RunPlan, episodes_list, progress_read, run_create
from stages import LITE_RUN, TOKEN, stage_serve
from test_stage import NOOP, move, moved

SOLVER = Solver({task: Solution(task=task, answer="42") for task in (1, 2, 3)})


class Pensive:
    """Does nothing first, then solves the task, and thinks until the step before must be stored."""

    name, simulated = "pensive", True

    def __init__(self) -> None:
        self.is_awake = False

    async def act(self, observation: Observation, _: EpisodeInfo) -> str:
        if self.is_awake:
            await asyncio.sleep(0.3)
            return move(observation.text)
        self.is_awake = True
        return NOOP


@pytest_asyncio.fixture
async def client(fake: FakeServer) -> AsyncIterator[Client]:
    async with Client(fake.lab_url, "key") as made:
        yield made


@pytest_asyncio.fixture
async def engine(client: Client) -> AsyncIterator[Engine]:
    async with Engine(client, pages=2, browser="lite") as made:
        yield made


async def opened(client: Client, *tasks: int, **fields: Any) -> None:
    await client.episodes_open(run=7, tasks=list(tasks), arm="gym", **fields)


def fork_make(fake: FakeServer, number: int, *, shown: str) -> None:
    """Let an episode be a fork of the first one's beginning, which was ``shown`` so."""
    act = {"url": "https://gym/", "kind": "axtree-v2", "sha256": hashlib.sha256(shown.encode()).hexdigest()}
    first = {"index": 0, **act, "served": [{"seq": 1, "path": ""}], "seq": 1}
    episode = fake.state.episodes[number]
    episode |= {"parent": 1, "begins_after": 0, "origin": "forked"}
    start_url = episode["start_url"]
    fake.state.recipe = {"start_url": start_url, "next_index": 1, "element_ids": "", "steps": [first]}


async def resumed(engine: Engine) -> list[tuple[int, str]]:
    states = [one for one in await episodes_list(engine.client, 7) if one.status == "open"]
    done = await engine.resume(run=7, interrupted=states, policy=SOLVER)
    return [(one.episode, one.outcome) for one in done]


@pytest.mark.parametrize("code", ["taken_over", "parent_gone", "episode_final"])
async def test_an_episode_that_cannot_be_resumed_now_stops_no_other(
    code: str, engine: Engine, fake: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    await opened(engine.client, 1, 2, 3)
    fake.state.refusals["2/resume"] = code
    assert await resumed(engine) == [(1, "correct"), (3, "correct")]
    assert fake.state.episodes[2]["closed"] is None
    assert (code in caplog.text) is (code != "episode_final")


async def test_other_refusals_of_a_resumption_are_errors(engine: Engine, fake: FakeServer) -> None:
    await opened(engine.client, 1)
    states = await episodes_list(engine.client, 7)
    fake.state.fail_next = [(403, {})]
    with pytest.raises(ApiError, match="made_up"):
        await engine.resume(run=7, interrupted=states, policy=SOLVER)


async def test_a_fork_that_nobody_restored_is_restored_and_played(engine: Engine, fake: FakeServer) -> None:
    await opened(engine.client, 1, 1)
    assert (await resumed(engine))[0] == (1, "correct")
    await opened(engine.client, 1)
    fork_make(fake, 3, shown=fake.state.episodes[1]["steps"][1]["observation"]["text"])
    fake.state.refusals["3/resume"] = "not_restored"
    assert await resumed(engine) == [(3, "correct")]


async def test_an_engine_plays_on_what_a_person_hands_back(engine: Engine, fake: FakeServer) -> None:
    await opened(engine.client, 1)
    fake.state.held[1] = 0
    asyncio.get_running_loop().call_later(0.5, fake.state.held.clear)
    [done] = await engine.resume(run=7, interrupted=await episodes_list(engine.client, 7), policy=Pensive())
    assert (done.outcome, done.problem) == ("correct", "")
    raws = [step["raw"] for _, step in sorted(fake.state.episodes[1]["steps"].items())]
    assert len(raws) == 2, "what it did while it was held is on no record"
    assert NOOP not in raws


async def test_a_fork_that_another_stage_cannot_restore_is_void(engine: Engine, fake: FakeServer) -> None:
    fake.state.runs.append(LITE_RUN)
    await opened(engine.client, 1)
    await resumed(engine)
    async with (
        stage_serve(fake, pages=0) as (_, one),
        stage_serve(fake, pages=0) as (_, two),
        RemoteEnv([one], TOKEN, run=7, browser="lite") as env,
    ):
        await env.reset(1)
        assert env.episode is not None
        env.episode.opened = msgspec.structs.replace(env.episode.opened, parent=1)
        fork_make(fake, 2, shown="another page")
        await moved(env, two)
        with pytest.raises(ForkDiverged, match="After step 0 the page differs"):
            await env.step(NOOP)
    assert fake.state.episodes[2]["closed"]["reason"] == "fork_diverged"


async def test_only_plain_episodes_are_samples_of_a_run(engine: Engine, fake: FakeServer) -> None:
    plan = RunPlan(model="tiny", benchmark="gsm8k", limit=2)
    run = await run_create(engine.client, plan)
    await opened(engine.client, 1, 2, samples_per_task=2)
    await resumed(engine)
    await opened(engine.client, 2)
    for number, origin in {2: "forked", 3: "guided", 4: "taken over", 5: "taken over"}.items():
        fake.state.episodes[number]["origin"] = origin
    progress = await progress_read(engine.client, plan, run)
    assert [one.id for one in progress.judged] == [1]
    assert progress.missing == {2: 1}
    assert [one.id for one in progress.unfinished] == [5], (
        "it is played on, as the plan asks for nothing of it"
    )
