from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from samples import Seat, note
from script import SEED, Played, Scene, episodes_of, example_run, paid, recorded, same

from palaestra.doors.gymnasium import VoidEpisode

ID = "palaestra.doors.gymnasium:Palaestra-v0"


@pytest.fixture
def env(scene: Scene, place: dict[str, list[str]]) -> Iterator[gymnasium.Env[str, str]]:
    made = gymnasium.make(ID, **scene.env, tasks=[scene.task], **place)
    yield made
    made.close()


def test_a_script_leaves_the_same_record_as_through_the_client(
    env: Any, scene: Scene, reference: Played
) -> None:
    _, info = env.reset(seed=SEED, options={"task": scene.task})
    messages, end = [], (0.0, False)
    for text in reference.texts:
        assert end == (0.0, False)
        messages.append(info["messages"])
        _, reward, terminated, truncated, info = env.step(text)
        end = (reward, terminated or truncated)
    assert end == (reference.verdict.reward, True)
    assert messages == reference.messages
    same(asyncio.run(recorded(env.unwrapped.episode)), reference)


def test_a_profile_pays_and_info_has_the_parts(scene: Scene, reference: Played, profile: str) -> None:
    env: Any = gymnasium.make(ID, **scene.env, tasks=[scene.task], reward_profile=profile)
    env.reset(seed=SEED)
    for text in reference.texts:
        _, reward, _, _, info = env.step(text)
    env.close()
    expected = asyncio.run(paid(env.unwrapped.episode, profile))
    assert (reward, info["rewards"]) == (expected.total, expected)
    assert reward != reference.verdict.reward


def test_info_holds_what_an_episode_of_the_table_is_paid(seat: Seat) -> None:
    env: Any = gymnasium.make(ID, **seat.env, tasks=[seat.scene.task])
    env.reset(seed=SEED)
    is_over, turn = False, 0
    while not is_over:
        completion = seat.completion(turn)
        taken = env.unwrapped.stop("model_error") if completion is None else env.step(completion)
        _, reward, terminated, truncated, info = taken
        is_over, turn = terminated or truncated, turn + 1
    env.close()
    expected = seat.paid()
    assert info["rewards"] == expected
    assert (None if math.isnan(reward) else reward) == expected.total
    note("Gymnasium", seat, reward, info["rewards"].components)


def test_gymnasiums_own_checker_accepts_it(env: gymnasium.Env[str, str]) -> None:
    check_env(env.unwrapped, skip_render_check=True)


def test_a_void_is_no_number(env: Any, scene: Scene) -> None:
    env.reset()
    _, reward, terminated, truncated, info = env.unwrapped.stop("model_error", "the endpoint is down")
    assert math.isnan(reward)
    assert (terminated, truncated, info["void"], info["reason"]) == (False, True, True, "model_error")


def test_a_void_may_be_an_error_instead(scene: Scene) -> None:
    env: Any = gymnasium.make(ID, **scene.env, tasks=[scene.task], void="raise").unwrapped
    env.reset()
    with pytest.raises(VoidEpisode, match="model_error"):
        env.stop("model_error")
    env.close()


def test_samples_of_one_group_see_the_same_page(env: Any, scene: Scene) -> None:
    first, _ = env.reset(seed=1)
    group = env.unwrapped.group
    second, _ = env.reset(options={"task": scene.task, "group": group})
    assert (first, group) == (second, env.unwrapped.group)


def test_a_vector_of_environments_goes_on_by_itself(scene: Scene, reference: Played) -> None:
    vector = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync", **scene.env, tasks=[scene.task])
    try:
        vector.reset(seed=[SEED, SEED])
        for text in reference.texts:
            _, rewards, terminated, _, _ = vector.step((text, text))
        assert rewards.tolist() == [reference.verdict.reward] * 2
        assert terminated.all()
        vector.step(("", ""))
        assert len(asyncio.run(episodes_of(scene.run))) == 4
    finally:
        vector.close()


def test_the_example_runs() -> None:
    assert example_run("gymnasium").endswith("reward 1.0 answer\n")
