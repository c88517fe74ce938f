"""A first answer that is to be checked is followed by a second one."""

from __future__ import annotations

from typing import Any

import pytest

from fake_server import FakeServer
from palaestra import Client, Env
from palaestra.engine import Engine
from palaestra.policies.base import EpisodeInfo

CHECK = "Check it once."


def say(arm: str, answer: str) -> str:
    if arm == "text_zero_shot":
        return f"Answer: {answer}"
    return f'Action: {{"type": "answer", "text": "{answer}"}}'


@pytest.fixture
def checked(fake: FakeServer) -> FakeServer:
    fake.state.check = CHECK
    return fake


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
async def test_the_request_is_the_result_of_the_first_answer(checked: FakeServer, arm: str) -> None:
    async with Env(checked.lab_url, "key", run=7, arm=arm) as env:
        opening = (await env.reset(3)).messages
        observation, reward, terminated, truncated, info = await env.step(say(arm, "41"))
        assert (reward, terminated, truncated, info["action_result"]) == (None, False, False, "ok")
        assert observation.messages[len(opening) + 1 :] == [
            {"role": "user", "content": f"Result of your action: ok. {CHECK}"}
        ]
        _, reward, terminated, _, info = await env.step(say(arm, "42"))
    assert (reward, terminated) == (1.0, True)
    episode = checked.state.episodes[info["episode"]]
    assert (episode["first"], episode["answer"]) == ("41", "42")
    assert [step["result_message"] for step in episode["steps"].values() if "result_message" in step] == [
        CHECK
    ]


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("again", ["41", "42"])
async def test_an_interrupted_check_goes_on(
    checked: FakeServer, arm: str, recorded: bool, again: str
) -> None:
    """A first answer that was given by a process which died is the first answer still."""
    given: list[str] = []

    class Answers:
        name, simulated = "answers", False

        async def act(self, _: Any, __: EpisodeInfo) -> str:
            given.append(again)
            return say(arm, again)

    async with Env(checked.lab_url, "key", run=7, arm=arm) as env:
        await env.reset(3)
        assert env.episode is not None
        number = env.episode.opened.id
        await env.step(say(arm, "41"))
        env.episode.is_over = True  # killed: nothing is closed
    if not recorded:
        checked.state.episodes[number]["steps"].clear()
    async with Client(checked.lab_url, "key") as client, Engine(client) as engine:
        state = await client.episode(number)
        await engine.resume(run=7, interrupted=[state], policy=Answers())
    episode = checked.state.episodes[number]
    assert (episode["first"], episode["answer"]) == ("41", again)
    assert len(given) == (1 if recorded else 2)


async def test_a_second_answer_that_cannot_be_read_may_be_repaired(checked: FakeServer) -> None:
    async with Env(checked.lab_url, "key", run=7, arm="text_zero_shot") as env:
        await env.reset(3)
        await env.step("Answer: 41")
        *_, info = await env.step("It is fine.")
        assert (info["action_result"], info["verdict"]) == ("invalid", None)
        *_, info = await env.step("Answer: 42")
    assert info["verdict"].outcome == "correct"
