"""The sections below a step, as tabs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.behaviour.fidelity.recordings import element, episode_make, recording_make
from tests.e2e.test_step_viewer import at_step, opened
from tests.lab.long_scene import long_episode, picture_make
from trajectories.models import Episode, Fidelity

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
CACHE_MS = 1100


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    return long_episode(steps=40)


@pytest.fixture
def viewer(lab_page: LabPage, episode: Episode) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, episode, 10)
    return page


def test_a_tab_stays_open_from_step_to_step_and_is_in_the_address(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("3")
    panel = viewer.get_by_role("tabpanel", name="Changes")
    expect(panel).to_contain_text("compared with step 9")
    viewer.keyboard.press("j")
    expect(panel).to_contain_text("compared with step 10")
    expect(viewer).to_have_url(re.compile("#changes$"))
    opened(viewer, episode, 12, "#json")
    expect(viewer.get_by_role("tab", name="Raw and JSON")).to_have_attribute("aria-selected", "true")


def test_an_address_of_the_same_step_with_another_tab_opens_it(viewer: Page) -> None:
    step = viewer.url
    for name, tab in (("changes", "Changes"), ("json", "Raw and JSON")):
        viewer.goto(f"{step}#{name}")
        expect(viewer.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    viewer.go_back()
    expect(viewer.get_by_role("tab", name="Changes")).to_have_attribute("aria-selected", "true")
    viewer.goto(f"{step}#main")
    expect(viewer.get_by_role("tab", name="Changes")).to_have_attribute("aria-selected", "true")


def test_tabs_move_with_the_arrows_and_keep_the_focus_when_the_step_changes(viewer: Page) -> None:
    viewer.get_by_role("tab", name="Accessibility tree").focus()
    viewer.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("tab", name="Changes")).to_be_focused()
    at_step(viewer, 10)
    viewer.keyboard.press("j")
    at_step(viewer, 11)
    expect(viewer.get_by_role("tab", name="Changes")).to_be_focused()


def test_tabs_that_overflow_are_shaded_at_the_edge(viewer: Page, episode: Episode) -> None:
    viewer.set_viewport_size({"width": 400, "height": 800})
    opened(viewer, episode, 38)
    tabs = viewer.locator(".tabs")
    assert tabs.evaluate("tabs => tabs.scrollWidth > tabs.clientWidth")
    assert tabs.evaluate("tabs => getComputedStyle(tabs).backgroundAttachment.includes('local')")


@pytest.fixture
def recorded(transactional_db: None) -> Episode:
    """Three steps with a DOM replay each."""
    made = episode_make(screenshot=picture_make("search"), steps=3)
    recording_make(made, element("h1", "Find a room"))
    return made


def check_store(episode: Episode, index: int, **fields: str) -> None:
    Fidelity.objects.update_or_create(
        episode=episode, index=index, defaults={"version": 1, "reason": "", "changed_share": 0.1, **fields}
    )


def test_a_step_fetched_before_its_replay_check_gets_its_sign(lab_page: LabPage, recorded: Episode) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    with page.expect_response(re.compile(r"/steps/2\?fragment$")):
        opened(page, recorded, 1)
    page.wait_for_timeout(CACHE_MS)
    check_store(recorded, 2, state="unfaithful")
    page.keyboard.press("j")
    at_step(page, 2)
    sign = page.locator("#tab-dom .tab-sign")
    expect(sign).to_have_text("≠Not faithful")
    for key, index in (("k", 1), ("j", 2)):
        page.keyboard.press(key)
        at_step(page, index)
    expect(sign).to_have_text("≠Not faithful")


def test_a_repeated_replay_check_replaces_the_sign(lab_page: LabPage, recorded: Episode) -> None:
    check_store(recorded, 1, state="failed", reason="crashed")
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, recorded, 2)
    page.keyboard.press("k")
    at_step(page, 1)
    sign = page.locator("#tab-dom .tab-sign")
    expect(sign).to_have_text("!Check failed")
    page.keyboard.press("2")
    page.get_by_role("button", name="Check again").click()
    expect(sign).to_be_empty()
    check_store(recorded, 1, state="unfaithful")
    expect(sign).to_have_text("≠Not faithful")
    for key, index in (("j", 2), ("k", 1)):
        page.keyboard.press(key)
        at_step(page, index)
    expect(sign).to_have_text("≠Not faithful")
