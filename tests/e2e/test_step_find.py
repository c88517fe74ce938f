"""Searching an episode, and the tabs that hold the matches."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.e2e.test_step_viewer import at_step, opened
from tests.lab.long_scene import long_episode
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    return long_episode(steps=12)


@pytest.fixture
def viewer(lab_page: LabPage, episode: Episode) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, episode, 10)
    return page


def test_matches_of_a_text_can_be_stepped_through_and_shared(
    viewer: Page, lab_page: LabPage, episode: Episode
) -> None:
    factories.step(episode, 50, thought="A needle.")
    factories.step(episode, 60, thought="Another NEEDLE.")
    viewer.keyboard.press("/")
    viewer.keyboard.type("needle")
    viewer.keyboard.press("Enter")
    at_step(viewer, 50)
    expect(viewer.locator("[data-matches-count]")).to_have_text("1 of 2 steps: in thought")
    viewer.keyboard.press("n")
    at_step(viewer, 60)
    expect(viewer.locator(".thought mark")).to_have_text("NEEDLE")
    viewer.keyboard.press("p")
    at_step(viewer, 50)
    address = viewer.url
    assert "find=needle" in address
    viewer.goto(address)
    expect(viewer.locator(".thought mark")).to_have_text("needle")
    viewer.keyboard.press("/")
    viewer.keyboard.press("Escape")
    expect(viewer.locator(".thought mark")).to_have_count(0)


def test_a_match_inside_a_tab_opens_the_tab_and_comes_into_view(
    viewer: Page, lab_page: LabPage, episode: Episode
) -> None:
    tree = "\n".join(f'[e{number}] link "hay {number}"' for number in range(90))
    factories.step(episode, 50, thought="hay", observation_text=f'{tree}\n[e91] link "needle"')
    factories.step(episode, 60, thought="A needle.", observation_text=tree)
    opened(viewer, episode, 11, "#changes")
    viewer.keyboard.press("/")
    viewer.keyboard.type("needle")
    viewer.keyboard.press("Enter")
    at_step(viewer, 50)
    count, selected = viewer.locator("[data-matches-count]"), viewer.locator("[aria-selected=true]")
    expect(count).to_have_text("1 of 2 steps: in tree")
    expect(selected).to_contain_text("Accessibility tree")
    expect(selected).to_have_accessible_name(re.compile("1 match"))
    expect(viewer.locator(".observation mark")).to_be_in_viewport()
    expect(viewer.locator("[data-matches-short]")).to_be_in_viewport()
    expect(viewer.locator("[data-matches-short]")).to_have_text("1 / 2")
    viewer.keyboard.press("n")
    at_step(viewer, 60)
    expect(selected).to_contain_text("Changes")
    expect(viewer.locator(".thought mark")).to_be_in_viewport()
    viewer.keyboard.press("4")
    viewer.keyboard.press("p")
    at_step(viewer, 50)
    expect(selected).to_contain_text("Page events")


@pytest.fixture
def needle(episode: Episode) -> Episode:
    """The tree of step 50 holds a needle, and so does the thought of step 60."""
    tree = '[e1] link "hay"'
    factories.step(episode, 50, thought="hay", observation_text=f'{tree}\n[e2] link "needle"')
    factories.step(episode, 60, thought="A needle.", observation_text=tree)
    return episode


def is_open(page: Page, tab: str) -> None:
    expect(page.locator("[aria-selected=true]")).to_contain_text(tab)


def test_a_reloaded_page_shows_the_same_match(viewer: Page, needle: Episode) -> None:
    opened(viewer, needle, 11, "#changes")
    viewer.keyboard.press("/")
    viewer.keyboard.type("needle")
    viewer.keyboard.press("Enter")
    at_step(viewer, 50)
    is_open(viewer, "Accessibility tree")
    expect(viewer).to_have_url(re.compile(r"/50\?find=needle$"))
    viewer.reload()
    settled(viewer)
    is_open(viewer, "Accessibility tree")
    viewer.keyboard.press("n")
    at_step(viewer, 60)
    is_open(viewer, "Changes")
    expect(viewer).to_have_url(re.compile(r"/60\?find=needle#changes$"))
    viewer.reload()
    settled(viewer)
    is_open(viewer, "Changes")
    viewer.keyboard.press("p")
    at_step(viewer, 50)
    is_open(viewer, "Accessibility tree")


def test_a_tab_chosen_during_a_search_stays_open_after_a_reload(viewer: Page, needle: Episode) -> None:
    opened(viewer, needle, 50, "?find=needle")
    is_open(viewer, "Accessibility tree")
    viewer.keyboard.press("4")
    expect(viewer).to_have_url(re.compile(r"/50\?find=needle#page$"))
    viewer.reload()
    settled(viewer)
    is_open(viewer, "Page events")
    viewer.keyboard.press("n")
    at_step(viewer, 60)
    viewer.keyboard.press("p")
    at_step(viewer, 50)
    is_open(viewer, "Page events")


def test_the_tab_in_the_address_is_open_wherever_the_match_is(viewer: Page, needle: Episode) -> None:
    opened(viewer, needle, 50, "?find=needle#json")
    is_open(viewer, "Raw and JSON")


def test_an_address_without_a_tab_shows_the_match(viewer: Page, needle: Episode) -> None:
    factories.step(needle, 61, observation_text="hay", raw="A needle.")
    opened(viewer, needle, 61, "?find=needle#main")
    is_open(viewer, "Raw and JSON")


def test_a_match_in_the_action_is_highlighted_there_and_opens_no_tab(viewer: Page, episode: Episode) -> None:
    typed = {"type": "type", "target": "e1", "text": "A needle"}
    factories.step(episode, 50, action=typed, action_type="type", observation_text='[e1] textbox "hay"')
    viewer.keyboard.press("/")
    viewer.keyboard.type("needle")
    viewer.keyboard.press("Enter")
    at_step(viewer, 50)
    expect(viewer.locator("[data-matches-count]")).to_have_text("1 of 1 step: in action")
    expect(viewer.locator(".action-card mark")).to_have_text("needle")
    expect(viewer.locator(".action-card mark")).to_be_in_viewport()
    is_open(viewer, "Accessibility tree")


def test_a_match_in_the_tree_comes_into_view_although_the_action_matches_too(
    viewer: Page, episode: Episode
) -> None:
    hay = "\n".join(f'[e{number}] link "hay {number}"' for number in range(90))
    tree = f'{hay}\n[e91] link "needle"'
    factories.step(episode, 50, action={"type": "click", "target": "e91"}, observation_text=tree)
    opened(viewer, episode, 10, "#json")
    viewer.keyboard.press("/")
    viewer.keyboard.type("needle")
    viewer.keyboard.press("Enter")
    at_step(viewer, 50)
    expect(viewer.locator(".action-card mark")).to_have_text("needle")
    is_open(viewer, "Accessibility tree")
    expect(viewer.locator(".observation mark")).to_be_in_viewport()
