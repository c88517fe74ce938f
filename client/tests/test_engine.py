from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Client, Completion, Env, Observation, Usage
from palaestra.actions import Outcome
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ApiError, BrowserDead
from palaestra.grammars.json import Turn
from palaestra.pages.pace import Limit
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Narrator, Null, Solution, Solver, VoidSeeker
from palaestra.rollouts import Batch

SOLUTIONS = {task: Solution(task=task, answer="42", solution="Half of 84 is 42.") for task in range(1, 30)}


@pytest_asyncio.fixture
async def engine(fake: FakeServer, pool: PagePool) -> AsyncIterator[Engine]:
    async with Client(fake.lab_url, "key") as client, Engine(client, pages=2) as made:
        yield made


class Broken:
    """A policy that damages the page of its episode before the second step."""

    name, simulated = "broken", True

    def __init__(self, how: str) -> None:
        self.how = how
        self.engine: Engine | None = None

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        if self.how == "raise":
            raise RuntimeError("no model here")
        if self.how == "time out":
            await asyncio.wait_for(asyncio.sleep(30), 0.01)
        if self.how == "think":
            await asyncio.sleep(30)
        if episode.step == 2:
            await self.harm()
        return 'I go on.\nAction: {"type": "wait", "ms": 300}' if episode.step < 4 else None

    async def harm(self) -> None:
        assert self.engine is not None
        assert self.engine.pool is not None
        browser = self.engine.pool._browser
        assert browser is not None
        page = browser.contexts[0].pages[0]
        if self.how == "close":
            await page.close()
        elif self.how == "crash":
            session = await page.context.new_cdp_session(page)
            crashing = asyncio.ensure_future(session.send("Page.crash"))
            crashing.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.sleep(0.2)
        elif self.how == "kill":
            session = await browser.new_browser_cdp_session()
            info = await session.send("SystemInfo.getProcessInfo")
            pid = next(p["id"] for p in info["processInfo"] if p["type"] == "browser")
            os.kill(pid, signal.SIGKILL)


async def test_the_solver_is_right_everywhere_and_its_last_thought_is_stored(
    engine: Engine, fake: FakeServer
) -> None:
    for arm in ("gym", "text_agent", "text_zero_shot"):
        done = await engine.rollout(
            run=7, tasks=[1, 2, 3], policy=Solver(SOLUTIONS), arm=arm, samples_per_task=2
        )
        assert [rollout.outcome for rollout in done] == ["correct"] * 6, arm
    for episode in fake.state.episodes.values():
        thoughts = [step["thought"] for _, step in sorted(episode["steps"].items())]
        assert "Half of 84 is 42." in thoughts[0]
        assert thoughts[-1], "the last step comes after the submission and is stored"
    assert fake.state.calls.count(("POST", "/api/v1/episodes")) == 3


async def test_tasks_with_long_prompts_are_opened_in_smaller_calls(engine: Engine, fake: FakeServer) -> None:
    fake.state.tasks_per_call = 3
    tasks = [*range(1, 12)]
    done = await engine.rollout(run=7, tasks=tasks, policy=Solver(SOLUTIONS), arm="text_zero_shot")
    assert [rollout.task for rollout in done] == tasks
    assert {rollout.outcome for rollout in done} == {"correct"}


async def test_a_single_prompt_that_is_too_long_is_refused(engine: Engine, fake: FakeServer) -> None:
    fake.state.tasks_per_call = 0
    with pytest.raises(ApiError, match="prompts_too_long"):
        await engine.rollout(run=7, tasks=[1, 2], policy=Solver(SOLUTIONS), arm="text_zero_shot")


@pytest.mark.parametrize(("policy", "reason"), [(Narrator(), "answer"), (Null(), "agent_stopped")])
async def test_narrator_and_null_earn_nothing(policy: Narrator | Null, reason: str, engine: Engine) -> None:
    for arm in ("gym", "text_agent", "text_zero_shot"):
        done = await engine.rollout(run=7, tasks=[1, 2], policy=policy, arm=arm)
        assert [r.verdict.reason if r.verdict else None for r in done] == [reason] * 2
        assert {r.outcome for r in done} == {"incorrect"}


async def test_every_attempt_of_the_void_seeker_is_judged(engine: Engine, fake: FakeServer) -> None:
    policy = VoidSeeker()
    for arm, tasks in (("gym", 24), ("text_agent", 8), ("text_zero_shot", 15)):
        done = await engine.rollout(run=7, tasks=list(range(1, tasks + 1)), policy=policy, arm=arm)
        assert {r.outcome for r in done} == {"incorrect"}, [r for r in done if r.outcome != "incorrect"]
        assert not [r.problem for r in done if r.problem]


@pytest.mark.parametrize("how", ["crash", "kill"])
async def test_a_dead_page_or_browser_is_replaced_and_its_episode_goes_on(how: str, fake: FakeServer) -> None:
    policy = Broken(how)
    async with Client(fake.lab_url, "key") as client, Engine(client, pages=1) as engine:
        policy.engine = engine
        (broken,) = await engine.rollout(run=7, tasks=[1], policy=policy)
        (next_one,) = await engine.rollout(run=7, tasks=[2], policy=Solver(SOLUTIONS))
    assert broken.verdict is not None
    assert (broken.verdict.outcome, broken.verdict.reason) == ("incorrect", "agent_stopped")
    assert [step["action_result"] for step in fake.state.episodes[1]["steps"].values()] == [
        "ok",
        "timeout",
        "ok",
    ]
    assert next_one.outcome == "correct"


async def test_a_closed_tab_is_an_observation(fake: FakeServer, pool: PagePool) -> None:
    policy = Broken("close")
    async with Client(fake.lab_url, "key") as client, Engine(client, pages=1) as engine:
        policy.engine = engine
        (done,) = await engine.rollout(run=7, tasks=[1], policy=policy)
    assert done.outcome == "incorrect"
    assert fake.state.episodes[1]["steps"][2]["action_result"] == "refused"
    assert fake.state.episodes[1]["steps"][3]["action_result"] == "ok"


@pytest.mark.parametrize("how", ["raise", "time out"])
async def test_a_policy_that_raises_ends_as_model_error(how: str, engine: Engine) -> None:
    (done,) = await engine.rollout(run=7, tasks=[1], policy=Broken(how), arm="text_agent")
    assert done.verdict is not None
    assert done.verdict.reason == "model_error"


async def test_an_episode_that_crashes_ends_void_and_the_others_continue(
    engine: Engine, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Episode.turn

    async def break_the_first(episode: Episode, completion: str | Completion) -> tuple[Turn, Outcome]:
        if episode.opened.task == 1:
            raise ValueError("a fault of ours")
        return await turn(episode, completion)

    monkeypatch.setattr(Episode, "turn", break_the_first)
    broken, sound = await engine.rollout(run=7, tasks=[1, 2], policy=Solver(SOLUTIONS), arm="text_agent")
    assert broken.verdict is not None
    assert (broken.verdict.reason, broken.problem) == ("harness_error", "ValueError('a fault of ours')")
    assert sound.outcome == "correct"


async def test_a_page_that_cannot_be_had_ends_its_own_episode_and_no_other(
    engine: Engine, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire, refusals = engine.pool.acquire, [1]

    async def refuse_once() -> WarmPage:
        if refusals:
            refusals.pop()
            raise BrowserDead("No page could be opened.")
        return await acquire()

    monkeypatch.setattr(engine.pool, "acquire", refuse_once)
    broken, sound = await engine.rollout(run=7, tasks=[1, 2], policy=Solver(SOLUTIONS))
    assert broken.verdict is not None
    assert (broken.verdict.reason, broken.problem) == (
        "harness_error",
        "BrowserDead: No page could be opened.",
    )
    assert sound.outcome == "correct"


async def test_a_policy_that_takes_too_long_is_truncated(fake: FakeServer, pool: PagePool) -> None:
    async with Client(fake.lab_url, "key") as client, Engine(client, time_limit_s=0.5) as engine:
        (done,) = await engine.rollout(run=7, tasks=[1], policy=Broken("think"), arm="text_agent")
    assert done.verdict is not None
    assert done.verdict.reason == "time_budget"


class Straggler(Narrator):
    """Never decides in the episodes of one task."""

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        if episode.task == 3:
            await asyncio.sleep(30)
        return None


@pytest.mark.parametrize("arm", ["text_agent", "gym"])
async def test_stragglers_are_cut_when_most_of_the_batch_is_played(
    arm: str, fake: FakeServer, pool: PagePool
) -> None:
    async with (
        Client(fake.lab_url, "key") as client,
        Engine(client, pages=4, cut_after=0.75, grace_s=0.3) as engine,
    ):
        done = await engine.rollout(run=7, tasks=[1, 2, 3, 4], policy=Straggler(), arm=arm)

    ends = {one.task: (one.problem, one.verdict.reason if one.verdict else None) for one in done}
    assert ends.pop(3) == ("cut_off", "cut_off")
    assert set(ends.values()) == {("", "agent_stopped")}
    (cut,) = [one for one in done if one.task == 3]
    assert cut.duration_s > 0.3


async def test_fewer_than_the_share_are_waited_for(fake: FakeServer) -> None:
    async with (
        Client(fake.lab_url, "key") as client,
        Engine(client, cut_after=0.98, grace_s=0.0, time_limit_s=0.5) as engine,
    ):
        done = await engine.rollout(run=7, tasks=[1, 2, 3], policy=Straggler(), arm="text_agent")

    assert [one.verdict.reason for one in done if one.verdict and one.task == 3] == ["time_budget"]


def test_a_share_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Batch(cut_after=98, grace_s=1)


async def test_a_page_that_hangs_is_an_observation(
    env: Env, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.NAVIGATION_LIMIT_S", 1.0)
    monkeypatch.setattr("palaestra.pages.warm_page.CALL_LIMIT_S", 1.0)
    monkeypatch.setattr("palaestra.pages.tab.CALL_LIMIT_S", 1.0)
    monkeypatch.setattr("palaestra.pages.warm_page.LATER_PAGE", Limit(0.5, 0.5))
    await env.reset(1)
    obs, _, terminated, _, info = await env.step('Action: {"type": "goto", "url": "hang.html"}')
    assert (info["action_result"], terminated) == ("timeout", False)
    assert "open again at the first page" in obs.result_message
    assert "Question" in obs.text
    *_, info = await env.step('Action: {"type": "noop"}')
    assert info["action_result"] == "ok"


LEAVE = """localStorage.a = sessionStorage.b = 1; window.name = "was here"; document.cookie = "c=1; path=/";
history.pushState(1, "", "deep"); caches.open("d").then(() => new Promise((ok) => {
const r = indexedDB.open("e", 1);
r.onsuccess = () => { r.result.close(); ok(); } }));
addEventListener("pagehide", () => { sessionStorage.late = localStorage.late = 1; window.name = "late"; });"""
LOOK = """(async () => [window.name, localStorage.length, sessionStorage.length, document.cookie,
history.length, (await caches.keys()).length,
(await indexedDB.databases()).length, document.referrer].join())()"""


async def test_the_second_episode_on_a_page_sees_nothing_of_the_first(
    page: WarmPage, fake: FakeServer
) -> None:
    html = '<!doctype html><html data-settled="true"><title>t</title><input id="i" name="answer">'
    fake.state.pages["x"] = html
    fake.state.episodes = {1: {"token": "tok-one"}, 2: {"token": "tok-two"}}
    await page.begin(f"{fake.arena_url}/e/tok-one/x")
    clean = await page.page.evaluate(LOOK)
    await page.page.type("#i", "typed")
    await page.page.evaluate(LEAVE)
    assert await page.page.evaluate(LOOK) != clean
    await page.begin(f"{fake.arena_url}/e/tok-two/x")
    assert await page.page.evaluate(LOOK) == clean == ",0,0,,1,0,0,"
    assert await page.page.evaluate("i.value") == ""
    assert not await page.back()


async def test_budgets_of_the_client_close_the_episode(fake: FakeServer, pool: PagePool) -> None:
    async with Env(fake.lab_url, "key", run=7, arm="text_agent", token_budget=50, invalid_limit=2) as env:
        await env.reset(1)
        completion = Completion(text='Action: {"type": "noop"}', usage=Usage(completion=60))
        *_, info = await env.step(completion)
        assert fake.state.episodes[1]["closed"]["reason"] == "token_budget"
        await env.reset(2)
        await env.step("nothing")
        _, reward, terminated, _, info = await env.step("nothing again")
        assert (reward, terminated, info["reason"]) == (0.0, True, "invalid_actions")


async def test_screenshots_are_shown_and_stored(fake: FakeServer, pool: PagePool) -> None:
    async with Env(fake.lab_url, "key", run=7, observation="both", pool=pool) as env:
        obs = await env.reset(1)
        assert obs.screenshot is not None
        assert obs.screenshot.startswith(b"\x89PNG")
        assert obs.messages[-1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
        await env.step('Action: {"type": "noop"}')
        await env.stop()
    digest = fake.state.episodes[1]["steps"][1]["screenshot"]
    assert fake.state.blobs[digest] == obs.screenshot


async def test_screenshots_can_be_recorded_of_pages_shown_as_text(fake: FakeServer, pool: PagePool) -> None:
    config = EpisodeConfig(with_pictures=True)
    async with Client(fake.lab_url, "key") as client, Engine(client, config=config) as engine:
        await engine.rollout(run=7, tasks=[1], policy=Solver(SOLUTIONS))
    recorded = [step["screenshot"] for step in fake.state.episodes[1]["steps"].values()]
    assert set(recorded) <= set(fake.state.blobs)
