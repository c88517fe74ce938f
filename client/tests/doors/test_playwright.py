"""Plain Playwright, with nothing of ours between it and the page."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from foreign import answered_correctly, episode_make, record_of
from playwright.async_api import Page, async_playwright
from script import GOLD

from palaestra.foreign import ForeignEpisode
from palaestra.pages.browser import browser_find


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_find(), args=["--no-sandbox"])
        yield await browser.new_page()
        await browser.close()


async def settled(page: Page, address: str) -> None:
    await page.goto(address)
    await page.wait_for_selector("html[data-settled=true]", state="attached")


async def break_down(page: Page, episode: ForeignEpisode) -> None:
    async with episode:
        await settled(page, episode.start_url)
        raise RuntimeError("the model is gone")


async def test_a_script_is_recorded_by_the_page_and_judged(page: Page) -> None:
    async with await episode_make() as episode:
        await settled(page, episode.start_url)
        await page.get_by_role("textbox").fill(GOLD)
        await page.get_by_role("button").last.click()
        await answered_correctly(episode)


async def test_a_script_that_goes_on_for_ever_runs_out_of_steps(page: Page) -> None:
    async with await episode_make(max_steps=3) as episode:
        await settled(page, episode.start_url)
        for _ in range(5):
            await page.get_by_role("textbox").press("End")
            await page.wait_for_timeout(400)
        verdict = await episode.verdict(limit_s=30)
    assert verdict is not None
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("incorrect", 0.0, "step_budget")
    assert verdict.truncated


async def test_leaving_without_an_answer_is_judged_and_a_failure_is_void(page: Page) -> None:
    async with await episode_make() as left:
        await settled(page, left.start_url)
    broken = await episode_make()
    with pytest.raises(RuntimeError, match="the model is gone"):
        await break_down(page, broken)
    verdicts = [(await record_of(episode))["verdict"] for episode in (left, broken)]
    assert [(one["outcome"], one["reward"], one["reason"]) for one in verdicts] == [
        ("incorrect", 0.0, "no_submission"),
        ("void", None, "harness_error"),
    ]


async def test_a_harness_may_post_its_thoughts_and_what_the_page_saw_is_held_against_them(page: Page) -> None:
    async with await episode_make() as episode:
        await settled(page, episode.start_url)
        field = page.get_by_role("textbox")
        shown = await page.screenshot()
        episode.step(
            thought="81 rolls at $2 each: 162.", action={"type": "fill_form"}, url=page.url, screenshot=shown
        )
        await field.fill(GOLD)
        await page.wait_for_timeout(500)
        episode.step(thought="I hand it in.", action={"type": "press_button"}, raw=f"at {page.url}")
        await page.get_by_role("button").last.click()
        assert (await episode.verdict()).outcome == "correct"
    record = await record_of(episode)
    first, second = record["steps"]
    assert (first["index"], first["thought"], first["url"]) == (
        1,
        "81 rolls at $2 each: 162.",
        "https://gym/",
    )
    assert first["screenshot"]
    assert second["raw"] == "at https://gym/"
    assert first["duration_ms"] >= 500
    assert record["page_actions"] == []
