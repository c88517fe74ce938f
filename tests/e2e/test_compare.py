"""Comparing and exporting episodes in a real browser."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tasks_app.models import Task
from tests import factories
from tests.e2e import axe
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

HOSTILE = "\u202e" + "W" * 3000 + "<img src=x onerror=alert(1)><script>alert(1)</script>"
THOUGHT = "I read the page and think about what it asks, one line after another.\n" * 30
COLOURS: tuple[Any, ...] = ("light", "dark")


def walked(task: Task, *pages: str, arm: str = "gym", thought: str = THOUGHT) -> Episode:
    made = factories.episode(task=task, arm=arm)
    for index, place in enumerate(pages, start=1):
        factories.step(
            made,
            index,
            thought=f"{place}: {thought}",
            action={"type": "click", "target": "e1"},
            observation_text=f'page "{place}"\n[e1] button "Go on"',
            url=f"https://gym/{place}",
            duration_ms=840.0,
        )
    factories.submission(made, pages[-1])
    factories.verdict(made)
    return made


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def keep(page: Page, name: str) -> None:
    """Save a picture of the page for people to look at, if ``PALAESTRA_LOOKS`` names a folder."""
    if folder := os.environ.get("PALAESTRA_LOOKS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_selected_episodes_are_compared_and_keys_step_through_their_differences(
    lab_page: Callable[..., Page],
) -> None:
    task = factories.task()
    one = walked(task, "start", "list", "item", "cart", "pay", "done")
    two = walked(task, "start", "list", "item", "shelf", "pay", "thanks")
    page = lab_page()
    page.goto(f"/tasks/{task.pk}/")
    for episode in (one, two):
        page.get_by_label(f"Select episode {episode.pk}").focus()
        page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 episodes side by side")
    settled(page)
    fold = page.locator(".compare-fold")
    assert fold.evaluate("(one) => one.open") is False
    page.keyboard.press("e")
    assert fold.evaluate("(one) => one.open") is True
    page.keyboard.press("d")
    expect(page.locator("#row-4")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#row-6")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#row-4")).to_be_focused()
    keep(page, "compare-two")


def test_the_first_divergence_also_opens_in_a_new_tab(lab_page: Callable[..., Page]) -> None:
    task = factories.task()
    pair = walked(task, "start", "list"), walked(task, "start", "else")
    page = lab_page()
    page.goto(f"/compare?episodes={pair[0].pk},{pair[1].pk}")
    settled(page)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="First divergence").click(modifiers=["ControlOrMeta"])
    expect(opened.value).to_have_url(re.compile(r"#row-\d+$"))


def test_thoughts_of_a_row_scroll_together(lab_page: Callable[..., Page]) -> None:
    task = factories.task()
    pair = walked(task, "start"), walked(task, "start")
    page = lab_page()
    page.goto(f"/compare?episodes={pair[0].pk},{pair[1].pk}")
    settled(page)
    boxes = page.locator(".compare-thought")
    boxes.first.evaluate("(box) => { box.scrollTop = 120; }")
    expect(boxes.last).to_have_js_property("scrollTop", 120)


@pytest.mark.parametrize("colours", COLOURS)
def test_a_comparison_with_a_text_arm_has_no_serious_accessibility_faults(
    colours: Any, lab_page: Callable[..., Page]
) -> None:
    task = factories.task()
    text = walked(task, "text", arm="text_zero_shot")
    gym, other = walked(task, "start", "list", "done"), walked(task, "start", "else")
    walked(task, "start")
    page = lab_page(color_scheme=colours, viewport={"width": 1280, "height": 800})
    page.goto(f"/compare?episodes={text.pk},{gym.pk},{other.pk}")
    settled(page)
    assert axe.violations(page) == []
    keep(page, f"compare-arms-{colours}")


@pytest.mark.parametrize("width", [400, 1280])
def test_hostile_text_stays_text_and_inside_the_window(width: int, lab_page: Callable[..., Page]) -> None:
    task = factories.task(prompt=HOSTILE, payload={"text": HOSTILE}, key=HOSTILE[:200])
    pair = walked(task, HOSTILE, thought=HOSTILE), walked(task, "start", "list")
    page = lab_page(viewport={"width": width, "height": 900})
    spoken: list[str] = []
    page.on("dialog", lambda dialog: spoken.append(dialog.message))
    page.goto(f"/compare?episodes={pair[0].pk},{pair[1].pk}")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert spoken == []
    keep(page, f"compare-hostile-{width}")


def test_a_comparison_can_be_read_without_scripts(lab_page: Callable[..., Page]) -> None:
    task = factories.task()
    pair = walked(task, "start", "list", "item", "cart"), walked(task, "start", "list", "item", "else")
    page = lab_page(java_script_enabled=False)
    page.goto(f"/compare?episodes={pair[0].pk}")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("link", name="First divergence").click()
    expect(page).to_have_url(
        f"{page.url.split('/compare')[0]}/compare?episodes={pair[0].pk},{pair[1].pk}#row-4"
    )
    expect(page.locator("#row-4")).to_be_in_viewport()
    page.get_by_text("3 equal rows").click()
    expect(page.locator("#row-1")).to_be_visible()


def test_the_exported_file_opens_without_the_lab_and_runs_nothing(
    lab_page: Callable[..., Page], tmp_path: Path
) -> None:
    task = factories.task(prompt=HOSTILE)
    episode = walked(task, HOSTILE, "start", thought=HOSTILE)
    page = lab_page(viewport={"width": 1280, "height": 900})
    page.goto(f"/episodes/{episode.pk}/")
    with page.expect_download() as download:
        page.get_by_role("link", name="HTML file", exact=True).click()
    taken = tmp_path / "episode.html"
    download.value.save_as(taken)
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url[:60]))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
    page.goto(taken.as_uri())
    expect(page.get_by_role("heading", name="Step 2")).to_be_visible()
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert messages == []
    assert page.evaluate("getComputedStyle(document.querySelector('.card')).borderTopStyle") == "solid"
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    keep(page, "taken")


@pytest.mark.parametrize("width", [400, 1280])
def test_in_the_exported_file_multiline_text_starts_on_the_line_of_its_step(
    width: int, lab_page: Callable[..., Page], tmp_path: Path
) -> None:
    episode = factories.episode()
    typed = "def shorten(text):\n    return text\n\n\nprint(shorten('aab'))"
    factories.step(
        episode,
        1,
        action={"type": "type", "target": "e1", "text": typed},
        action_type="type",
        duration_ms=30.0,
    )
    page = lab_page(viewport={"width": width, "height": 900})
    file = tmp_path / "episode.html"
    file.write_bytes(page.request.get(f"/episodes/{episode.pk}/export.html").body())
    page.goto(file.as_uri())
    keep(page, f"taken-lines-{width}")
    tops = page.locator(".exported-head").evaluate(
        "(head) => [...head.querySelectorAll('h2, .action-verb, .muted.small')]"
        ".map((one) => one.getBoundingClientRect().top)"
    )
    assert len(tops) == 3
    heading, verb, ms = tops
    assert abs(heading - verb) < 12
    assert width < 1000 or abs(heading - ms) < 12


def test_compare_and_export_say_that_nothing_is_selected(lab_page: Callable[..., Page]) -> None:
    task = factories.task()
    walked(task, "start")
    page = lab_page()
    page.goto(f"/tasks/{task.pk}/")
    settled(page)
    page.keyboard.press("b")
    expect(page.get_by_text("Select two to four episodes first", exact=True)).to_be_in_viewport()
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_text("Select episodes first", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/tasks/{task.pk}/$"))


def test_a_comparison_of_one_episode_shows_it_and_asks_for_a_second(lab_page: Callable[..., Page]) -> None:
    task = factories.task()
    one, two = walked(task, "start", "one"), walked(task, "start", "two")
    page = lab_page()
    page.goto(f"/compare?episodes={one.pk}")
    card = page.get_by_role("list", name="Episode to compare")
    expect(card.get_by_role("link", name=f"Episode {one.pk}")).to_be_visible()
    expect(card).to_contain_text("Page")
    expect(page.get_by_role("link", name=str(two.pk), exact=True)).to_have_attribute(
        "href", f"/episodes/{two.pk}/"
    )
    page.get_by_role("button", name="Compare", exact=True).click()
    hint = page.locator("[data-hint]")
    expect(hint).to_have_text("Select an episode first")
    assert axe.violations(page) == []
    keep(page, "compare-one")
    page.get_by_role("checkbox").check()
    expect(hint).to_be_empty()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 episodes side by side")
