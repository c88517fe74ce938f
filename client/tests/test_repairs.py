"""A completion in free text without an answer may be repaired once, as an unreadable action may be."""

from __future__ import annotations

from typing import Any

import pytest

from fake_server import FakeServer
from palaestra import Completion, Env, Usage
from palaestra.protocol.answers import REPAIRS

SLIP, ANSWER = "Half of 84 is 42.", "Half of 84 is 42.\nAnswer: 42"


def steps_of(fake: FakeServer, info: Any) -> list[dict[str, Any]]:
    return list(fake.state.episodes[info["episode"]]["steps"].values())


async def test_a_slip_is_named_and_may_be_repaired(fake: FakeServer) -> None:
    async with Env(fake.lab_url, "key", run=7, arm="text_zero_shot") as env:
        opening = (await env.reset(3)).messages
        observation, reward, terminated, truncated, info = await env.step(SLIP)
        assert (reward, terminated, truncated) == (None, False, False)
        assert (info["action_result"], info["parse_error"]) == ("invalid", REPAIRS["line"])
        assert observation.messages == [
            *opening,
            {"role": "assistant", "content": SLIP},
            {"role": "user", "content": f"Result of your action: invalid. {REPAIRS['line']}"},
        ]
        *_, info = await env.step(ANSWER)
    assert info["verdict"].outcome == "correct"
    first, second = steps_of(fake, info)
    assert (first["parse_error"], first["action_result"]) == (REPAIRS["line"], "invalid")
    assert not second.get("parse_error")


async def test_a_second_slip_ends_the_episode(fake: FakeServer) -> None:
    async with Env(fake.lab_url, "key", run=7, arm="text_zero_shot", max_steps=9) as env:
        await env.reset(3)
        await env.step(SLIP)
        *_, info = await env.step(SLIP)
        assert env.episode is not None
        assert env.episode.closed_as == "invalid_actions"
    assert (info["verdict"].outcome, len(steps_of(fake, info))) == ("incorrect", 2)


@pytest.mark.parametrize(
    ("finish_reason", "closed_as"),
    [
        ("length", "token_budget"),
        ("SAFETY", "content_filter"),
        ("abort", "model_error"),
        ("error", "model_error"),
    ],
)
@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
async def test_a_completion_that_broke_off_is_no_answer_and_no_slip(
    fake: FakeServer, arm: str, finish_reason: str, closed_as: str
) -> None:
    async with Env(fake.lab_url, "key", run=7, arm=arm) as env:
        await env.reset(3)
        text = f'{ANSWER}\nAction: {{"type": "answer", "text": "42"}}'
        *_, info = await env.step(Completion(text=text, finish_reason=finish_reason))
        assert env.episode is not None
        assert env.episode.closed_as == closed_as
    assert fake.state.episodes[info["episode"]].get("answer") is None


@pytest.mark.parametrize(
    ("settings", "closed_as"),
    [
        ({"token_budget": 50}, "token_budget"),
        ({"prompt_token_budget": 90}, "token_budget"),
        ({"max_steps": 1}, None),
    ],
)
async def test_a_repair_is_within_the_budgets(
    fake: FakeServer, settings: dict[str, int], closed_as: str | None
) -> None:
    async with Env(fake.lab_url, "key", run=7, arm="text_zero_shot", **settings) as env:
        await env.reset(3)
        *_, info = await env.step(Completion(text=SLIP, usage=Usage(prompt=100, completion=60)))
        assert env.episode is not None
        assert env.episode.is_over
        assert env.episode.closed_as == closed_as
    assert info["verdict"].outcome == "incorrect"
