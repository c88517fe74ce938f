"""A page that dies, by whoever's doing: once it is an observation, twice it is judged, never void."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Env
from palaestra.errors import BrowserDead
from palaestra.pages import browser
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage

NOOP = 'Action: {"type": "noop"}'
ANSWER = 'Action: {"type": "answer", "text": "42"}'
# Deaths of the renderer and of the browser that Chromium itself offers, however they are written.
DEADLY = [
    "chrome://crash",
    "chrome://kill",
    "chrome://inducebrowsercrashforrealz",
    "chrome://hang",
    "chrome://badcastcrash",
    "about:crash",
    "CHROME://CRASH",
    " chrome:\\\\crash",
    "chr\nome://crash",
    "view-source:chrome://crash",
    "javascript:for(;;);",
]
# Pushes until the renderer has no memory left.
BOMB = """<title>Bomb</title><p>soon<script>
setTimeout(() => { const held = []; for (;;) held.push(new Array(1e6)); }, 100)</script>"""


@pytest_asyncio.fixture
async def pages(fake: FakeServer) -> AsyncIterator[PagePool]:
    """A pool whose browser may die."""
    made = PagePool(origin=fake.arena_url, size=2)
    yield made
    await made.aclose()


@pytest_asyncio.fixture
async def alone(fake: FakeServer, pages: PagePool) -> AsyncIterator[Env]:
    async with Env(fake.lab_url, "key", run=7, pool=pages, answer_channel="api") as made:
        yield made


async def renderer_crash(env: Env) -> None:
    assert env.episode is not None
    assert env.episode.page is not None
    page = env.episode.page.page
    crashed = asyncio.ensure_future(page.wait_for_event("crash"))
    session = await page.context.new_cdp_session(page)
    crash = asyncio.ensure_future(session.send("Page.crash"))
    crash.add_done_callback(lambda task: task.cancelled() or task.exception())
    await crashed


async def browser_kill(pool: PagePool) -> None:
    assert pool._browser is not None
    gone = asyncio.Event()
    pool._browser.once("disconnected", lambda _: gone.set())
    session = await pool._browser.new_browser_cdp_session()
    info = await session.send("SystemInfo.getProcessInfo")
    os.kill(
        next(process["id"] for process in info["processInfo"] if process["type"] == "browser"), signal.SIGKILL
    )
    await gone.wait()


@pytest.mark.parametrize(
    "completion", [NOOP, "no action at all", 'Action: {"type": "click", "target": "e1"}']
)
async def test_a_crash_is_an_observation_and_the_episode_goes_on(
    completion: str, alone: Env, fake: FakeServer
) -> None:
    await alone.reset(1)
    await renderer_crash(alone)
    obs, reward, terminated, truncated, _ = await alone.step(completion)
    assert (reward, terminated, truncated) == (None, False, False)
    assert "The page crashed. It is open again at the first page." in obs.result_message
    assert "Question" in obs.text
    _, reward, terminated, _, info = await alone.step(ANSWER)
    assert (reward, terminated, info["reason"]) == (1.0, True, "answer")


async def test_a_second_crash_is_judged_and_the_step_that_met_it_is_stored(
    alone: Env, fake: FakeServer
) -> None:
    await alone.reset(1)
    for _ in range(2):
        await renderer_crash(alone)
        _, reward, terminated, truncated, info = await alone.step(NOOP)
    assert (reward, terminated, truncated, info["reason"]) == (0.0, True, False, "page_crash")
    assert info["verdict"] is not None
    assert info["verdict"].outcome == "incorrect"
    assert sorted(fake.state.episodes[1]["steps"]) == [1, 2]
    await alone.reset(2)
    *_, info = await alone.step(NOOP)
    assert info["action_result"] == "ok"


async def test_a_renderer_that_runs_out_of_memory_is_judged(
    fake: FakeServer, pages: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "ARGUMENTS", (*browser.ARGUMENTS, "--js-flags=--max-old-space-size=64"))
    fake.state.pages["bomb"] = BOMB
    async with Env(fake.lab_url, "key", run=7, pool=pages) as env:
        await env.reset(1)
        for _ in range(2):
            obs, reward, terminated, _, info = await env.step('Action: {"type": "goto", "url": "bomb"}')
            if "crashed" not in obs.result_message:
                obs, reward, terminated, _, info = await env.step('Action: {"type": "wait", "ms": 3000}')
            assert "The page crashed." in obs.result_message
        assert (reward, terminated, info["reason"]) == (0.0, True, "page_crash")


@pytest.mark.parametrize("address", DEADLY)
def test_no_action_opens_a_deadly_address(address: str, bounds: EpisodeBounds) -> None:
    real = bounds.resolve(address, base=bounds.root)
    assert real is None or real.startswith(bounds.root)


@pytest.mark.parametrize(
    "way", ["<a href='{0}'>go</a>", "<script>location = '{0}'; window.open('{0}')</script>"]
)
async def test_no_page_opens_a_deadly_address(way: str, env: Env, fake: FakeServer) -> None:
    for address in DEADLY[:6]:
        fake.state.pages["deadly"] = '<html data-settled="true"><title>Deadly</title>' + way.format(address)
        await env.reset(1)
        await env.step('Action: {"type": "goto", "url": "deadly"}')
        for action in ('{"type": "click", "target": "e1"}', '{"type": "wait", "ms": 100}'):
            obs, *_ = await env.step(f"Action: {action}")
            assert "It is open again" not in obs.result_message, address


async def test_a_browser_that_dies_with_one_page_counts_as_a_crash_of_the_page(
    alone: Env, pages: PagePool
) -> None:
    await alone.reset(1)
    await browser_kill(pages)
    obs, _, terminated, _, _ = await alone.step(NOOP)
    assert not terminated
    assert "The browser died. It is open again" in obs.result_message
    await renderer_crash(alone)
    _, reward, _, _, info = await alone.step(NOOP)
    assert (reward, info["reason"]) == (0.0, "page_crash")


async def test_a_browser_that_dies_with_other_pages_is_never_the_agents_doing(
    alone: Env, fake: FakeServer, pages: PagePool
) -> None:
    async with Env(fake.lab_url, "key", run=7, pool=pages) as other:
        envs = (alone, other)
        for env in envs:
            await env.reset(1)
        await browser_kill(pages)
        assert [(await env.step(NOOP))[1:4] for env in envs] == [(None, False, False)] * 2
        await browser_kill(pages)
        stepped = [await env.step(NOOP) for env in envs]
    assert [(reward, info["reason"]) for _, reward, _, _, info in stepped] == [(None, "harness_error")] * 2


async def test_an_episode_without_a_step_begins_again_after_each_death_of_the_browser(
    alone: Env, pages: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, deaths = WarmPage.begin, [1, 2, 3]

    async def begin_and_die(page: WarmPage, start_url: str, **options: Any) -> EpisodeBounds:
        if deaths:
            deaths.pop()
            await browser_kill(pages)
        return await begin(page, start_url, **options)

    monkeypatch.setattr(WarmPage, "begin", begin_and_die)
    obs = await alone.reset(1)
    assert "Question" in obs.text
    assert not deaths
    _, reward, _, _, info = await alone.step(ANSWER)
    assert (reward, info["reason"]) == (1.0, "answer")


async def test_deaths_while_the_page_is_opened_again_are_not_held_against_the_first_step(
    alone: Env, fake: FakeServer, pages: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Env(fake.lab_url, "key", run=7, pool=pages) as other:
        for env in (alone, other):
            await env.reset(1)
        await browser_kill(pages)
        begin, deaths = WarmPage.begin, [1, 2]

        async def begin_and_die(page: WarmPage, start_url: str, **options: Any) -> EpisodeBounds:
            if deaths:
                deaths.pop()
                await browser_kill(pages)
            return await begin(page, start_url, **options)

        monkeypatch.setattr(WarmPage, "begin", begin_and_die)
        obs, reward, terminated, *_ = await alone.step(NOOP)
    assert (reward, terminated) == (None, False)
    assert "It is open again at the first page." in obs.result_message


async def test_a_browser_that_opens_no_page_is_never_the_agents_doing(
    alone: Env, pages: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: object) -> None:
        raise BrowserDead("No page could be opened.")

    await alone.reset(1)
    assert alone.episode is not None
    monkeypatch.setattr(alone.episode, "renew", refuse)
    monkeypatch.setattr("palaestra.play.episode_page.REOPEN_LIMIT_S", 0.5)
    await renderer_crash(alone)
    _, reward, _, _, info = await alone.step(NOOP)
    assert (reward, info["reason"]) == (None, "harness_error")


async def test_a_page_that_the_episode_before_broke_is_replaced(
    alone: Env, pages: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alone.reset(1)
    assert alone.episode is not None
    warm = alone.episode.page
    await renderer_crash(alone)
    monkeypatch.setattr(type(warm), "is_alive", True)
    await alone.stop()
    assert pages._free == [warm]
    obs = await alone.reset(2)
    assert "Question" in obs.text


async def test_a_tab_that_closes_itself_during_an_unreadable_action_is_an_observation(
    alone: Env, pages: PagePool
) -> None:
    await alone.reset(1)
    assert alone.episode is not None
    assert alone.episode.page is not None
    await alone.episode.page.page.close()
    obs, reward, terminated, _, info = await alone.step("no action at all")
    assert (info["action_result"], reward, terminated) == ("invalid", None, False)
    assert "The page closed itself. It is open again at the first page." in obs.result_message


async def test_a_call_that_is_abandoned_when_its_episode_is_cancelled_reports_nothing(
    pages: PagePool,
) -> None:
    page, reported = await pages.acquire(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["message"]))
    waiting = page._cdp.send(
        "Runtime.evaluate", {"expression": "new Promise(() => {})", "awaitPromise": True}
    )
    call = asyncio.ensure_future(page._bounded(waiting, 60.0))
    await asyncio.sleep(0.2)

    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    await pages.release(page, is_healthy=False)
    await pages.aclose()
    del waiting, call
    gc.collect()
    await asyncio.sleep(0)

    assert reported == []
