"""``Env``, and the same through a stage."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import ApiError, Env, PalaestraError, RemoteEnv
from palaestra.pages.lite import LitePool
from palaestra.pages.pool import PagePool
from stages import TOKEN, stage_serve

Make = Callable[..., Any]


@pytest_asyncio.fixture(params=["here", "on a stage"])
async def env_make(request: pytest.FixtureRequest, fake: FakeServer, pool: PagePool) -> AsyncIterator[Make]:
    """Makes environments with these settings, which are left when the test ends."""
    async with AsyncExitStack() as stack:
        stage = None if request.param == "here" else stage_serve(fake, pool=pool, pages=2)
        address = (await stack.enter_async_context(stage))[1] if stage else ""

        async def make(**settings: Any) -> Env | RemoteEnv:
            if address:
                return await stack.enter_async_context(RemoteEnv(address, TOKEN, run=7, **settings))
            return await stack.enter_async_context(Env(fake.lab_url, "key", run=7, pool=pool, **settings))

        yield make


@pytest_asyncio.fixture
async def env(env_make: Make) -> Env | RemoteEnv:
    made: Env | RemoteEnv = await env_make()
    return made


def target(text: str, role: str) -> str:
    match = re.search(rf"\[(e\d+)\] {role}", text)
    assert match, text
    return match[1]


async def test_an_episode_is_solved_step_by_step(env: Env, fake: FakeServer) -> None:
    obs = await env.reset(3)
    assert r"text: What is $\frac{1}{2}$ of 84?" in obs.text
    box, button = target(obs.text, "textbox"), target(obs.text, "button")

    obs, reward, terminated, truncated, info = await env.step(
        f'Half of 84 is 42.\nAction: {{"type": "type", "target": "{box}", "text": "42"}}'
    )
    assert (reward, terminated, truncated) == (None, False, False)
    assert info["action_result"] == "ok"
    assert 'value="42"' in obs.text

    obs, reward, terminated, truncated, info = await env.step(
        f'So I submit 42.\nAction: {{"type": "click", "target": "{button}"}}'
    )
    assert (reward, terminated, truncated, info["reason"]) == (1.0, True, False, "answer")
    steps = fake.state.episodes[1]["steps"]
    assert steps[1]["thought"] == "Half of 84 is 42."
    assert steps[2]["thought"] == "So I submit 42."
    assert ("POST", f"/e/{fake.state.episodes[1]['token']}/submit", "2") in fake.state.requests


async def test_the_model_never_sees_the_token(env: Env, fake: FakeServer) -> None:
    token = "tok" + "0" * 28 + "1"
    fake.state.extra = (
        f'<p>Your address is {fake.arena_url}/e/{token}/x and {token}.</p><a href="more">More</a>'
    )
    obs = await env.reset(1)
    assert "text: Your address is https://gym/x and ***." in obs.text
    assert '"More" -> https://gym/more' in obs.text
    assert token not in str(obs.messages)
    assert obs.url == "https://gym/"


async def test_mistakes_of_the_agent_become_observations(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    results = {
        "no action at all": "invalid",
        'Action: {"type": "click"': "invalid",
        'Action: {"type": "fly"}': "invalid",
        'Action: {"type": "click", "target": "e99"}': "no_target",
        'Action: {"type": "goto", "url": "http://127.0.0.1:1/"}': "refused",
    }
    for completion, result in results.items():
        obs, reward, terminated, _, info = await env.step(completion)
        assert (info["action_result"], reward, terminated) == (result, None, False), completion
        assert "Question" in obs.text
        assert f"Result of your action: {result}." in obs.messages[-1]["content"]


async def test_the_step_budget_truncates(env: Env, fake: FakeServer) -> None:
    fake.state.max_steps = 2
    await env.reset(1)
    await env.step('Action: {"type": "noop"}')
    _, reward, terminated, truncated, info = await env.step('Action: {"type": "noop"}')
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "step_budget")


async def test_without_an_open_episode_a_step_says_what_to_do(env: Env) -> None:
    with pytest.raises(PalaestraError, match="reset"):
        await env.step("x")


async def test_a_void_ends_a_loop_over_steps_and_has_no_reward(env: Env) -> None:
    await env.reset(1)
    _, reward, terminated, truncated, info = await env.stop("harness_error", "the power went")
    assert (reward, terminated, truncated, info["reason"]) == (None, False, True, "harness_error")


async def test_a_profile_pays_in_place_of_the_verdict(env_make: Make) -> None:
    env = await env_make(reward_profile="shaped")
    await env.reset(3)
    _, reward, terminated, _, info = await env.step('Action: {"type": "give_up"}')
    assert (reward, terminated, info["verdict"].reward) == (0.25, True, 0.0)
    assert info["rewards"].profile == "shaped@0123456789ab"
    assert info["rewards"].components == {"outcome": 0.0, "syntax": 1.0}
    assert (info["rewards"].paid_at(1), info["rewards"].paid_at(2)) == (0.25, 0.0)


async def test_the_run_s_own_profile_has_an_empty_name(env_make: Make) -> None:
    env = await env_make(reward_profile="")
    await env.reset(3)
    *_, info = await env.step('Action: {"type": "give_up"}')
    assert info["rewards"].profile == "of-the-run@0123456789ab"


async def test_a_void_is_paid_nothing_by_any_profile(env_make: Make) -> None:
    env = await env_make(reward_profile="shaped")
    await env.reset(3)
    _, reward, _, truncated, info = await env.stop("harness_error")
    assert (reward, truncated) == (None, True)
    assert info["rewards"].total is None
    assert info["rewards"].paid_at(1) is None


async def test_without_a_profile_the_verdict_pays(env: Env) -> None:
    await env.reset(3)
    _, reward, _, _, info = await env.step('Action: {"type": "give_up"}')
    assert (reward, info["rewards"]) == (0.0, None)


async def test_a_step_is_stored_when_it_returns(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    await env.step('Nothing yet.\nAction: {"type": "noop"}')
    assert fake.state.episodes[1]["steps"][1]["thought"] == "Nothing yet."


async def test_a_seed_of_a_reset_goes_before_that_of_the_environment(
    env_make: Make, fake: FakeServer
) -> None:
    env = await env_make(arm="text_agent", seed=5)
    await env.reset(1)
    await env.reset(1, seed=9)
    await env.reset(1, seed=0)
    assert [one["body"]["seed"] for one in fake.state.episodes.values()] == [5, 9, 0]


async def test_a_reset_within_a_group_refills_it(env: Env, fake: FakeServer) -> None:
    with pytest.raises(ApiError):  # this server has no groups
        await env.reset(1, group=4)
    assert fake.state.calls[-1] == ("POST", "/api/v1/groups/4/refill")


async def test_a_reset_waits_for_a_page_before_it_opens_an_episode_and_says_so(
    fake: FakeServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.env.WAIT_REPORTED_S", 0.05)
    pool = LitePool(size=1)
    held = await pool.acquire()
    settings: dict[str, Any] = {"run": 7, "pool": pool, "checked_runs": {7}}
    async with Env(fake.lab_url, "key", **settings) as env:
        reset = asyncio.ensure_future(env.reset(1))
        await asyncio.sleep(0.3)
        assert "All pages of the pool have been in use" in caplog.text
        assert not fake.state.episodes
        await pool.release(held)
        await reset
        assert len(fake.state.episodes) == 1
    await pool.aclose()


async def test_a_refused_opening_gives_its_page_back(fake: FakeServer) -> None:
    pool = LitePool(size=1)
    async with Env(fake.lab_url, "key", run=7, pool=pool, checked_runs={7}) as env:
        fake.state.fail_next.append((400, {}))
        with pytest.raises(ApiError):
            await env.reset(1)
        await asyncio.wait_for(env.reset(1), 20)
    await pool.aclose()
