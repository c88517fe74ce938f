"""What is stored counts: a step that the server holds already is answered from the record.

Each test holds one moment open: a player dies, or an answer is lost, before a step is stored, after that and
before its player knows, or after that and before the trainer does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import ApiError, Client, Env, Observation, RemoteEnv, Unreachable, wire
from palaestra.engine import Engine
from palaestra.pages.pool import PagePool
from palaestra.policies import EpisodeInfo
from palaestra.records import Step
from palaestra.recovery.lineage import line_read
from palaestra.recovery.lost_pages import find_last_page
from palaestra.turn.steps import StepQueue
from stages import LITE_RUN, TOKEN, stage_serve
from test_env import target

NOOP = 'Action: {"type": "noop"}'
MORE = '<a href="more">More</a>'
NOTE = "The field has a counter: 2 of 200."
OTHERS = {"env_ms": 1.5, "started_at": "2026-01-01T00:00:00+00:00"}
"""What another player's record of the same step differs in at least."""
Make = Callable[..., Any]


@pytest_asyncio.fixture
async def stage_make(fake: FakeServer) -> AsyncIterator[Callable[[], Any]]:
    """Makes stages that serve until the test ends; returns their addresses."""
    async with AsyncExitStack() as stack:

        async def make() -> str:
            return (await stack.enter_async_context(stage_serve(fake, pages=0)))[1]

        yield make


@pytest_asyncio.fixture(params=["chromium", "lite", "stage"])
async def env(
    request: pytest.FixtureRequest, fake: FakeServer, pool: PagePool, stage_make: Any
) -> AsyncIterator[Env | RemoteEnv]:
    """An environment in each of the ways to play."""
    fake.state.max_steps = 20
    if request.param == "chromium":
        made: Env | RemoteEnv = Env(fake.lab_url, "key", run=7, pool=pool)
    else:
        fake.state.runs.append(LITE_RUN)
        if request.param == "lite":
            made = Env(fake.lab_url, "key", run=7, browser="lite")
        else:
            made = remote(await stage_make())
    async with made:
        yield made


def remote(*addresses: str) -> RemoteEnv:
    return RemoteEnv(addresses, TOKEN, run=7, browser="lite", patience_s=20.0)


def typed(text: str, answer: str = "42") -> str:
    return f'Action: {{"type": "type", "target": "{target(text, "textbox")}", "text": "{answer}"}}'


def pressed(text: str, role: str = "button") -> str:
    return f'Action: {{"type": "click", "target": "{target(text, role)}"}}'


async def solved(env: Env | RemoteEnv, observation: Observation) -> float | None:
    """The reward of the episode when it goes on from here."""
    if 'value="42"' not in observation.text:
        observation, *_ = await env.step(typed(observation.text))
    _, reward, *_ = await env.step(pressed(observation.text))
    return reward


def steps_of(fake: FakeServer) -> dict[int, dict[str, Any]]:
    return fake.state.episodes[1]["steps"]


async def test_a_step_whose_answer_is_lost_is_stored_once(env: Any, fake: FakeServer) -> None:
    observation = await env.reset(3)
    fake.state.steps_unanswered = 2
    observation, *_, info = await env.step(typed(observation.text))
    assert info["action_result"] == "ok"
    assert await solved(env, observation) == 1.0
    assert sorted(steps_of(fake)) == [1, 2]


async def test_a_step_that_another_stored_first_is_answered_as_stored(env: Any, fake: FakeServer) -> None:
    """The other one died, or was cut off, and what it had sent arrived late."""
    observation = await env.reset(3)
    fake.state.steps_of_others = {1: OTHERS | {"result_message": NOTE}}
    observation, *_, info = await env.step(typed(observation.text))
    assert (info["step"], info["action_result"], observation.result_message) == (1, "ok", NOTE)
    assert NOTE in observation.messages[-1]["content"]
    assert 'value="42"' in observation.text, "the page stands where the record does"
    assert await solved(env, observation) == 1.0
    assert steps_of(fake)[1]["result_message"] == NOTE
    assert sorted(steps_of(fake)) == [1, 2]


async def test_a_step_that_others_stored_with_another_completion_counts_as_stored(
    env: Any, fake: FakeServer
) -> None:
    observation = await env.reset(3)
    stored = typed(observation.text)
    action = {"type": "type", "target": target(observation.text, "textbox"), "text": "42"}
    fake.state.steps_of_others = {1: OTHERS | {"raw": stored, "action": action}}
    observation, reward, *_, info = await env.step(NOOP)
    assert (info["action"], info["action_result"], reward) == (action, "ok", None)
    assert [one["content"] for one in observation.messages if one["role"] == "assistant"] == [stored]
    assert 'value="42"' in observation.text
    assert await solved(env, observation) == 1.0


async def test_a_stored_step_that_led_to_another_page_is_followed_there(env: Any, fake: FakeServer) -> None:
    fake.state.extra = MORE
    fake.state.pages["more"] = "<title>More</title><p>Another page</p>"
    observation = await env.reset(3)
    stored = {"raw": pressed(observation.text, "link"), "action_result": "ok"}
    stored["action"] = {"type": "click", "target": target(observation.text, "link")}
    fake.state.episodes[1]["events"].append({"step": 1, "kind": "page_served", "data": {"path": "more"}})
    fake.state.steps_of_others = {1: OTHERS | stored}
    observation, *_ = await env.step(NOOP)
    assert "Another page" in observation.text
    assert observation.url == "https://gym/more"


async def test_a_stored_step_after_which_the_episode_has_ended_ends_it(env: Any, fake: FakeServer) -> None:
    observation = await env.reset(3)
    stored = {"raw": "Answer", "action": {"type": "answer", "text": "42"}, "action_result": "ok"}
    fake.state.steps_of_others = {1: OTHERS | stored}
    fake.state.submit(fake.state.episodes[1], "42")
    _, reward, terminated, _, _ = await env.step(typed(observation.text, "7"))
    assert (reward, terminated) == (1.0, True)
    assert fake.state.episodes[1]["answer"] == "42"


class Typist:
    """A policy that types and submits, and notes what it was shown."""

    name, simulated = "typist", True

    def __init__(self) -> None:
        self.shown: list[Observation] = []

    async def act(self, observation: Observation, _: EpisodeInfo) -> str | None:
        self.shown.append(observation)
        await asyncio.sleep(0.3)  # the step before is stored meanwhile
        return pressed(observation.text) if 'value="42"' in observation.text else typed(observation.text)


async def test_the_engine_asks_again_when_the_record_says_something_else(fake: FakeServer) -> None:
    fake.state.runs.append(LITE_RUN)
    fake.state.steps_of_others = {1: OTHERS | {"result_message": NOTE}}
    policy = Typist()
    async with Client(fake.lab_url, "key") as client, Engine(client, browser="lite") as engine:
        (done,) = await engine.rollout(run=7, tasks=[3], policy=policy)
    assert (done.outcome, done.steps, done.problem) == ("correct", 2, "")
    assert [one.result_message for one in policy.shown] == ["", "", NOTE]


async def test_a_stage_that_takes_over_answers_all_that_is_stored(fake: FakeServer, stage_make: Any) -> None:
    """The steps were stored and acknowledged, and the trainer heard of neither."""
    fake.state.runs.append(LITE_RUN)
    fake.state.max_steps, fake.state.extra = 20, MORE
    fake.state.pages["more"] = "<title>More</title><p>Another page</p>"
    one, two = await stage_make(), await stage_make()
    async with remote(one) as env:
        first = await env.reset(3)
        completions = [typed(first.text, "7"), pressed(first.text, "link")]
        for completion in completions:
            await env.step(completion)
        requests = len(fake.state.requests)
        assert env.episode is not None
        env.episode.observation, env.episode.steps = first, 0
        env._addresses, env._session = [two.replace("http", "ws") + wire.PATH], "another"
        await cut_off(env)
        for completion in (completions[0], NOOP):
            observation, *_, info = await env.step(completion)
        assert (info["step"], info["action"]["type"], observation.url) == (2, "click", "https://gym/more")
        assert "Another page" in observation.text
        assert [step for _, _, step in fake.state.requests[requests:]] == [None, None], "two pages, no action"
        written = [one["content"] for one in observation.messages if one["role"] == "assistant"]
        assert written == completions
    assert sorted(steps_of(fake)) == [1, 2]


async def test_a_stage_whose_session_is_out_of_date_reads_the_record(
    fake: FakeServer, stage_make: Any
) -> None:
    """The trainer was cut off from one stage, and the other died when it had stored a step."""
    fake.state.runs.append(LITE_RUN)
    fake.state.max_steps, fake.state.extra = 20, MORE
    one, two = [(await stage_make()).replace("http", "ws") + wire.PATH for _ in range(2)]
    async with remote(one.removesuffix(wire.PATH)) as env:
        first = await env.reset(3)
        completion = pressed(first.text, "link")
        env._addresses = [two]
        await cut_off(env)
        await env.step(completion)
        assert env.episode is not None
        env.episode.observation, env.episode.steps = first, 0  # the answer never came
        env._addresses = [one]
        await cut_off(env)
        observation, *_, info = await env.step(completion)
        assert (info["step"], info["action_result"]) == (1, "ok")
        assert [path[-5:] for _, path, step in fake.state.requests if step == "1"] == ["/more"], "done once"
        assert await solved(env, observation) == 1.0


async def cut_off(env: RemoteEnv) -> None:
    assert env._connection is not None
    if env._watch is not None:
        env._watch.cancel()
    env._connection.transport.abort()
    await env._connection.wait_closed()
    env._connection = None


async def test_a_trainer_that_gave_up_on_a_step_is_answered_with_what_became_of_it(
    fake: FakeServer, stage_make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.state.runs.append(LITE_RUN)
    fake.state.max_steps = 20
    async with remote(await stage_make()) as env:
        observation = await env.reset(3)
        slow = 'Action: {"type": "wait", "ms": 500}'
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(env.step(slow), 0.1)
        observation, *_, info = await env.step(typed(observation.text))
        assert (info["step"], info["action"]["type"]) == (1, "wait")
        assert [one["content"] for one in observation.messages if one["role"] == "assistant"] == [slow]
        assert await solved(env, observation) == 1.0
    assert sorted(steps_of(fake)) == [1, 2, 3]


async def test_several_steps_of_which_some_are_stored_lose_none(fake: FakeServer) -> None:
    async with Client(fake.lab_url, "key") as client:
        await client.episodes_open(run=7, tasks=[1], arm="gym")
        fake.state.steps_of_others = {2: {"thought": "theirs", "raw": "theirs"}}
        queue = StepQueue(client, 1)
        for index in (1, 2, 3):
            queue.add(Step(index=index, thought="ours", raw="ours"))
        ack = await queue.flush()
    assert ack.next_index == 4
    assert [step["thought"] for _, step in sorted(steps_of(fake).items())] == ["ours", "theirs", "ours"]


async def test_steps_before_a_takeover_are_stored_though_later_ones_are_refused(fake: FakeServer) -> None:
    async with Client(fake.lab_url, "key") as client:
        await client.episodes_open(run=7, tasks=[1], arm="gym")
        fake.state.held = {1: 2}
        queue = StepQueue(client, 1)
        for index in (1, 2, 3):
            queue.add(Step(index=index))
        with pytest.raises(ApiError, match="taken_over"):
            await queue.flush()
    assert sorted(steps_of(fake)) == [1, 2]


def taken_over(fake: FakeServer, number: int, *, after: int) -> None:
    fake.state.held[number] = after
    fake.state.refusals[f"{number}/resume"] = "taken_over"


def handed_back(fake: FakeServer, number: int, *steps: dict[str, Any]) -> None:
    fake.state.episodes[number]["steps"] |= {step["index"]: {**step, "actor": "person"} for step in steps}
    fake.state.episodes[number]["max_steps"] += len(steps)
    del fake.state.held[number], fake.state.refusals[f"{number}/resume"]


async def test_an_agent_waits_for_a_hand_back_and_goes_on_from_there(
    fake: FakeServer, env: Env | RemoteEnv
) -> None:
    shown = await env.reset(1)
    await env.step(NOOP)
    await env.step(typed(shown.text))
    await env.stop()
    looked, wrote = (fake.state.episodes[1]["steps"][index] for index in (1, 2))
    await env.reset(2)
    await env.step(NOOP)
    taken_over(fake, 2, after=1)
    stepping = asyncio.ensure_future(env.step(NOOP))
    await asyncio.sleep(0.5)
    assert not stepping.done()
    handed_back(fake, 2, {**looked, "index": 2}, {**wrote, "index": 3})
    observation, *ending, info = await stepping
    assert ending == [None, False, False]
    assert (info["action_result"], info["step"]) == ("refused", 3)
    completions = [one["content"] for one in observation.messages if one["role"] == "assistant"]
    assert completions == [NOOP, NOOP, wrote["raw"]]
    assert observation.result_message == "A person took over for steps 2 to 3."
    assert observation.result_message in str(observation.messages[-1]["content"])
    assert 'value="42"' in observation.text, "the page is where the person left it"
    assert await solved(env, observation) == 1.0
    steps = fake.state.episodes[2]["steps"]
    assert [steps[index].get("actor") for index in sorted(steps)] == [None, "person", "person", None]
    async with Client(fake.lab_url, "key") as client:
        line = await line_read(client, await client.trajectory(2))
    messages = [turn.shown.result_message for turn in line.turns if turn.shown]
    assert messages == ["", "", "", observation.result_message], "the record says what the agent was told"


@pytest.mark.parametrize("is_handed_back", [True, False])
async def test_another_stage_waits_for_a_hand_back(
    fake: FakeServer, stage_make: Any, is_handed_back: bool
) -> None:
    fake.state.runs.append(LITE_RUN)
    one, two = await stage_make(), await stage_make()
    async with remote(one) as env:
        shown = await env.reset(1)
        await env.step(typed(shown.text))
        await env.stop()
        wrote = fake.state.episodes[1]["steps"][1]
        await env.reset(2)
        await env.step(NOOP)
        taken_over(fake, 2, after=1)
        if is_handed_back:
            handed_back(fake, 2, {**wrote, "index": 2})
        env._addresses = [two.replace("http", "ws") + wire.PATH]
        env._session = "another"
        await cut_off(env)
        stepping = asyncio.ensure_future(env.step(NOOP))
        if not is_handed_back:
            await asyncio.sleep(0.5)
            assert not stepping.done()
            handed_back(fake, 2, {**wrote, "index": 2})
        observation, *ending, info = await stepping
        assert ending == [None, False, False]
        assert (info["action_result"], info["step"]) == ("refused", 2)
        assert observation.result_message == "A person took over for steps 2 to 2."
        assert 'value="42"' in observation.text
        assert await solved(env, observation) == 1.0
    assert sorted(fake.state.episodes[2]["steps"]) == [1, 2, 3]


@pytest.mark.parametrize(("kind", "is_known"), [("click", True), ("press", True), ("back", False)])
def test_a_page_on_which_something_was_opened_is_the_page_still(kind: str, is_known: bool) -> None:
    observation = {"kind": "axtree-v2", "text": '[e1] summary "Answer" collapsed'}
    step = {"index": 4, "action": {"type": kind, "target": "e1"}, "action_result": "ok"}
    step |= {"url": "https://gym/trips", "observation": observation, "result_message": None}
    draft = find_last_page({"steps": [step], "site_events": [{"step": 3, "data": {"path": "trips"}}]})
    assert (draft is not None and draft.url == "https://gym/trips") == is_known


async def test_an_episode_that_a_person_gave_up_is_over(fake: FakeServer, env: Env | RemoteEnv) -> None:
    await env.reset(1)
    taken_over(fake, 1, after=0)
    stepping = asyncio.ensure_future(env.step(NOOP))
    await asyncio.sleep(0.3)
    handed_back(fake, 1)
    fake.state.judge(fake.state.episodes[1], outcome="incorrect", reason="no_submission")
    _, reward, terminated, _, info = await stepping
    assert (reward, terminated, info["reason"]) == (0.0, True, "no_submission")


async def test_a_hand_back_is_not_waited_for_for_ever(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.play.stored_turns.HAND_BACK_LIMIT_S", 0.3)
    fake.state.runs.append(LITE_RUN)
    async with Env(fake.lab_url, "key", run=7, browser="lite") as env:
        await env.reset(1)
        taken_over(fake, 1, after=0)
        with pytest.raises(ApiError, match="taken_over"):
            await env.step(NOOP)


async def test_a_step_that_finds_no_server_is_sent_by_the_next_flush(fake: FakeServer) -> None:
    async with Client(fake.lab_url, "key", retries=0) as client:
        await client.episodes_open(run=7, tasks=[1], arm="gym")
        client._lab._has_answered = False
        queue = StepQueue(client, 1)
        queue.add(Step(index=1), screenshot=b"a picture")
        fake.state.fail_next = [(503, {})]
        with pytest.raises((Unreachable, Exception), match="made_up"):
            await queue.flush()
        assert (await queue.flush()).next_index == 2


async def test_a_flush_that_is_given_up_loses_no_step(fake: FakeServer) -> None:
    async with Client(fake.lab_url, "key") as client:
        await client.episodes_open(run=7, tasks=[1], arm="gym")
        fake.state.fail_next = [(503, {"Retry_After": "1"})]
        queue = StepQueue(client, 1)
        queue.add(Step(index=1))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(queue.flush(), 0.2)
        assert (await queue.flush()).next_index == 2
