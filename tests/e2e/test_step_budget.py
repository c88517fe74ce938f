"""The step budget binds every browser: one without our client, which posts no steps, and ours once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page

from palaestra.actions import action_check, action_perform
from palaestra.pages.pool import PagePool
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_site_frame import episode_make
from trajectories.models import Episode, PageEventTally
from trajectories.rollouts.judging import reaper

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
MAX_STEPS = 4
ACTIONS = [
    {"type": "goto", "url": "https://gym/trips"},
    {"type": "back"},
    {"type": "scroll", "dy": 300},
    {"type": "press", "key": "Tab"},
]


def reason_of(episode: Episode) -> str:
    reaper.overspent_end()
    episode.refresh_from_db()
    return episode.verdict.reason if episode.verdict else ""


def test_a_browser_without_our_client_that_opens_pages_for_ever_runs_out_of_steps(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, page = episode_make(max_steps=MAX_STEPS), open_page()
    for _ in range(MAX_STEPS + 1):
        page.goto(arena_server.address(episode))
    settled(page)
    assert reason_of(episode) == ""
    page.goto(arena_server.address(episode, "trips"))
    assert reason_of(episode) == "step_budget"
    assert page.goto(arena_server.address(episode)).status == 404  # type: ignore[union-attr]


def test_a_browser_without_our_client_that_clicks_for_ever_runs_out_of_steps(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, page = episode_make(max_steps=MAX_STEPS), open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    for _ in range(MAX_STEPS + 1):
        assert reason_of(episode) == ""
        page.get_by_role("region", name="Task").locator("summary").click()
        page.wait_for_timeout(600)  # a gesture of its own, and reported
    assert reason_of(episode) == "step_budget"


def test_the_steps_of_our_client_are_not_counted_again(arena_server: ArenaServer, browser: object) -> None:
    episode = episode_make(max_steps=MAX_STEPS)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _play(arena_server.address(episode))).result()
    assert reason_of(episode) == ""
    assert episode.site_events.filter(kind="page_served", step=None).count() == 1
    tally = PageEventTally.objects.get(episode=episode)
    assert (tally.gestures, tally.fields) == (0, 0)
    assert tally.events > 0


async def _play(address: str) -> None:
    """All actions twice over, on pages that report them."""
    pool = PagePool(origin="/".join(address.split("/")[:3]), size=1)
    try:
        page = await pool.acquire()
        await page.begin(address)
        view = await page.observe(acted=False)
        for step, declared in enumerate(ACTIONS, start=1):
            page.turn(step)
            assert view
            for action in (declared, {"type": "press", "key": "ArrowDown"}):
                assert (await action_perform(page, action_check(action))).is_ok
                view = await page.observe(acted=True)
        await page.flush_recorder()
        await pool.release(page)
    finally:
        await pool.aclose()
