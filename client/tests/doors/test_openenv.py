from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import uvicorn
from openenv.core import GenericEnvClient
from samples import Seat, note
from script import SEED, Played, Scene, episodes_of, example_run, paid, recorded, same

from palaestra.doors.openenv import PalaestraAction, PalaestraEnvironment, app_make
from palaestra.doors.rollouts import Rollouts
from ports import free_port


@contextlib.contextmanager
def served(scene: Scene, **settings: Any) -> Iterator[str]:
    """The door's server in a thread of this process."""
    port = free_port()
    config = uvicorn.Config(app_make(**{**scene.env, **settings}), port=port, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def address(scene: Scene) -> Iterator[str]:
    with served(scene, pages=2) as made:
        yield made


def test_a_script_leaves_the_same_record_as_through_the_client(
    address: str, scene: Scene, reference: Played
) -> None:
    messages = []
    with GenericEnvClient(base_url=address).sync() as env:
        result = env.reset(task=scene.task, seed=SEED)
        for text in reference.texts:
            assert (result.done, result.reward) == (False, None)
            messages.append(result.observation["messages"])
            result = env.step({"completion": text})
    assert (result.done, result.reward) == (True, reference.verdict.reward)
    assert result.observation["reason"] == reference.verdict.reason
    assert messages == reference.messages
    same(asyncio.run(recorded(result.observation["episode"])), reference)


def test_a_profile_pays_and_the_observation_has_the_parts(
    scene: Scene, reference: Played, profile: str
) -> None:
    with (
        served(scene, pages=1, reward_profile=profile) as address,
        GenericEnvClient(base_url=address).sync() as env,
    ):
        env.reset(task=scene.task, seed=SEED)
        for text in reference.texts:
            result = env.step({"completion": text})
    expected = asyncio.run(paid(result.observation["episode"], profile))
    assert (result.reward, result.observation["rewards"]) == (expected.total, msgspec.to_builtins(expected))
    assert result.reward != reference.verdict.reward


def test_the_observation_holds_what_an_episode_of_the_table_is_paid(seat: Seat) -> None:
    with (
        served(seat.scene, pages=1, **seat.settings) as address,
        GenericEnvClient(base_url=address).sync() as env,
    ):
        result, turn = env.reset(task=seat.scene.task, seed=SEED), 0
        while not result.done:
            completion = seat.completion(turn)
            result = env.step({"stop": "model_error"} if completion is None else {"completion": completion})
            turn += 1
    expected = seat.paid()
    held = result.observation["rewards"]
    assert (result.reward, held) == (expected.total, msgspec.to_builtins(expected))
    assert result.observation["void"] == (expected.total is None)
    note("OpenEnv", seat, result.reward, held["components"])


async def test_components_are_the_rubrics(scene: Scene, reference: Played, profile: str) -> None:
    env = PalaestraEnvironment(Rollouts(**scene.env, reward_profile=profile))
    await env.reset_async(task=scene.task, seed=SEED)
    for text in reference.texts:
        observation = await env.step_async(PalaestraAction(completion=text))
    assert env.rubric is not None
    scores = {name: rubric.last_score for name, rubric in env.rubric.named_rubrics()}
    await asyncio.to_thread(env.close)
    expected = await paid(observation.episode or 0, profile)
    assert (env.rubric.last_score, scores) == (expected.total, expected.components)


def test_a_void_has_no_reward(address: str, scene: Scene) -> None:
    with GenericEnvClient(base_url=address).sync() as env:
        env.reset(task=scene.task)
        result = env.step({"stop": "model_error"})
    assert (result.done, result.reward) == (True, None)
    assert (result.observation["void"], result.observation["reason"]) == (True, "model_error")


def test_rollouts_of_one_round_are_one_group_and_a_session_that_leaves_is_cancelled(
    address: str, scene: Scene
) -> None:
    with (
        GenericEnvClient(base_url=address).sync() as first,
        GenericEnvClient(base_url=address).sync() as second,
    ):
        for name in ("a", "b", None):
            groups = [env.reset(task=scene.task, round=name).observation["group"] for env in (first, second)]
            assert (groups[0] == groups[1]) == (name is not None)
    for _ in range(100):
        episodes = asyncio.run(episodes_of(scene.run))
        if all(episode.verdict for episode in episodes):
            break
        threading.Event().wait(0.1)
    assert {episode.verdict.reason for episode in episodes} == {"cancelled"}
    assert len({episode.group for episode in episodes}) == 4


def test_a_token_is_needed_where_one_is_set(scene: Scene) -> None:
    token = "the token of this door"
    with served(scene, pages=1, token=token) as address:
        for headers in ({}, {"Authorization": "Bearer another"}):
            with pytest.raises(ConnectionError), GenericEnvClient(base_url=address, headers=headers).sync():
                pass
        with GenericEnvClient(base_url=address, headers={"Authorization": f"Bearer {token}"}).sync() as env:
            assert env.reset(task=scene.task).observation["text"]


def test_the_example_runs() -> None:
    assert example_run("openenv").endswith("reward 1.0 answer\n")
