from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from nemo_gym.rollout_collection import NG_FAILURE_CLASS_KEY
from nemo_gym_servers import gym_served
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent
from samples import Seat, note
from script import OPENING, SEED, SERVER, Played, Scene, episodes_of, example_run, paid, recorded, same

from palaestra import Env
from palaestra.doors.nemo_gym import PalaestraAgent, join_messages, row

GIVE_UP = 'Action: {"type": "give_up"}'
WAIT = 'Action: {"type": "noop"}'
AGENTS = pytest.mark.parametrize("kind", [PalaestraAgent, GymnasiumAgent])


def server_of(scene: Scene) -> dict[str, Any]:
    return {"server": SERVER, "run": scene.run, "seed": SEED, "settings": OPENING}


def give_up(_: Any) -> str:
    return GIVE_UP


@AGENTS
def test_a_script_leaves_the_same_record_as_through_the_client(
    scene: Scene, reference: Played, kind: type[GymnasiumAgent]
) -> None:
    seen: list[list[str]] = []

    def answer(messages: list[dict[str, Any]]) -> str:
        seen.append([message["content"] for message in messages])
        return reference.texts[sum(message["role"] == "assistant" for message in messages)]

    with gym_served(answer, kind=kind, **server_of(scene)) as gym:
        played = gym.rollout(row(scene.task))
    assert (played["reward"], played["info"]["reason"]) == (
        reference.verdict.reward,
        reference.verdict.reason,
    )
    assert played.get(NG_FAILURE_CLASS_KEY) is None
    begun = len(reference.messages[0])
    assert seen == [
        [join_messages(messages[:begun]), *(message["content"] for message in messages[begun:])]
        for messages in reference.messages
    ]
    same(asyncio.run(recorded(played["info"]["episode"])), reference)


def test_a_profile_pays_and_the_rollout_has_the_components(
    scene: Scene, reference: Played, profile: str
) -> None:
    def answer(messages: list[dict[str, Any]]) -> str:
        return reference.texts[sum(message["role"] == "assistant" for message in messages)]

    settings = {"settings": OPENING | {"reward_profile": profile}}
    with gym_served(answer, **server_of(scene) | settings) as gym:
        played = gym.rollout(row(scene.task))
    expected = asyncio.run(paid(played["info"]["episode"], profile))
    assert (played["reward"], played["reward_components"]) == (expected.total, expected.components)
    assert played["reward"] != reference.verdict.reward


def test_the_rollout_holds_what_an_episode_of_the_table_is_paid(seat: Seat) -> None:
    def answer(messages: list[dict[str, Any]]) -> str:
        completion = seat.completion(sum(message["role"] == "assistant" for message in messages))
        if completion is None:
            raise RuntimeError("no such model")
        return completion

    settings = {"settings": seat.settings}
    with gym_served(answer, **server_of(seat.scene) | settings) as gym:
        played = gym.rollout(row(seat.scene.task))
    expected = seat.paid()
    assert (played["reward"], played["reward_components"]) == (expected.total, expected.components)
    assert played["info"]["rewards"] == msgspec.to_builtins(expected)
    assert played[NG_FAILURE_CLASS_KEY] == ("void" if expected.total is None else None)
    note("NeMo Gym", seat, played["reward"], played["reward_components"])


def test_rollouts_of_a_task_are_groups_of_so_many(scene: Scene) -> None:
    with gym_served(give_up, samples=2, **server_of(scene)) as gym:
        played = [gym.rollout(row(scene.task)) for _ in range(3)]
    assert [one["reward"] for one in played] == [0.0] * 3
    groups = [one["info"]["group"] for one in played]
    assert groups[0] == groups[1] != groups[2]


def test_a_void_verdict_has_no_reward_and_is_marked_as_failed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepped = Env.step

    async def break_down_once(self: Env, _: Any) -> Any:
        monkeypatch.setattr(Env, "step", stepped)
        return await self.stop("harness_error", "the power went")

    monkeypatch.setattr(Env, "step", break_down_once)
    with gym_served(give_up, **server_of(scene)) as gym:
        void, judged = (gym.rollout(row(scene.task)) for _ in range(2))
        metrics = gym.metrics([void, judged])
    assert (void["reward"], void[NG_FAILURE_CLASS_KEY]) == (None, "void")
    assert "harness_error" in void["info"]["detail"]
    assert (judged["reward"], judged[NG_FAILURE_CLASS_KEY]) == (0.0, None)
    assert metrics["agent_metrics"]["mean/reward"] == 0.0
    episodes = asyncio.run(episodes_of(scene.run))
    assert [episode.verdict.reward for episode in episodes] == [None, 0.0]


def test_a_model_that_fails_is_void_and_no_zero(scene: Scene) -> None:
    def fail(_: Any) -> str:
        raise RuntimeError("no such model")

    with gym_served(fail, **server_of(scene)) as gym:
        void = gym.rollout(row(scene.task))
    assert (void["reward"], void[NG_FAILURE_CLASS_KEY]) == (None, "void")
    assert void["info"]["reason"] == "model_error"
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.reward, episode.verdict.reason) == (None, "model_error")


def test_a_limit_of_the_framework_truncates(scene: Scene) -> None:
    with gym_served(lambda _: WAIT, max_steps=2, **server_of(scene)) as gym:
        played = gym.rollout(row(scene.task))
    assert (played["reward"], played["truncated"], played["info"]["reason"]) == (0.0, True, "time_budget")
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.reason, episode.verdict.truncated) == ("time_budget", True)


def test_what_the_stock_agent_leaves_is_cancelled(scene: Scene) -> None:
    answers = iter([None, GIVE_UP])

    def answer(_: Any) -> str:
        text = next(answers)
        if text is None:
            raise RuntimeError("no such model")
        return text

    with gym_served(answer, kind=GymnasiumAgent, idle_s=0.0, **server_of(scene)) as gym:
        with pytest.raises(RuntimeError, match="Internal Server Error"):
            gym.rollout(row(scene.task))
        assert gym.rollout(row(scene.task))["reward"] == 0.0
    [left, _] = asyncio.run(episodes_of(scene.run))
    assert (left.verdict.reward, left.verdict.reason) == (None, "cancelled")


@AGENTS
def test_a_row_without_a_task_is_refused(scene: Scene, kind: type[GymnasiumAgent]) -> None:
    served = gym_served(give_up, kind=kind, **server_of(scene))
    with served as gym, pytest.raises(RuntimeError, match="make them with palaestra"):
        gym.rollout({"responses_create_params": {"input": []}})
    assert asyncio.run(episodes_of(scene.run)) == []


def test_the_example_runs() -> None:
    assert example_run("nemo_gym").count("reward 1.0 answer") == 2
