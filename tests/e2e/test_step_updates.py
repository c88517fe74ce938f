"""The step viewer and the timeline of an open episode."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled
from tests.e2e.test_step_viewer import HOSTILE, at_step
from tests.e2e.test_updates import LAST_STEP_TO_COME, close, finish, says
from tests.e2e.wire import Wire
from tests.lab.long_scene import picture_make
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Blob, Episode
from trajectories.shell.updates import AWAITING_MEASURES

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    made = factories.episode(max_steps=200)
    for index in (1, 2):
        factories.step(made, index, action={"type": "click", "target": "e1"})
    return made


@pytest.fixture
def viewer(lab_page: Callable[..., Page], live: Wire, episode: Episode) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/episodes/{episode.pk}/steps/2")
    settled(page)
    says(page, "Live")
    return page


def test_new_steps_appear_in_the_list_and_under_next(viewer: Page, episode: Episode) -> None:
    factories.step(episode, 3, thought="The third.")
    expect(viewer.locator(".steps-track .item-number")).to_have_text(["1", "2", "3"])
    expect(viewer.locator(".scrub-step")).to_have_count(3)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 3")
    at_step(viewer, 2)
    expect(viewer.locator("[data-step-link='after']").first).to_have_attribute(
        "href", re.compile("/steps/3$")
    )
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 3)
    expect(viewer.locator(".thought")).to_contain_text("The third.")


def test_the_list_shows_a_missing_range_that_appears_and_is_partly_filled(
    viewer: Page, episode: Episode
) -> None:
    names = viewer.locator(".steps-track .item-number, .frame-range .frame-name")
    factories.step(episode, 100)
    expect(names).to_have_text(["1", "2", "3–99", "100"])
    factories.step(episode, 50)
    expect(viewer.locator(".frame-range .frame-name")).to_have_text(["3–49", "51–99"])
    cells = viewer.locator(".steps-track > li")
    tops = cells.evaluate_all("cells => cells.map(cell => parseInt(cell.style.insetBlockStart))")
    assert sorted(tops) == [0, 44, 88, 132, 176, 220]


def test_the_slider_skips_missing_steps(viewer: Page, episode: Episode) -> None:
    factories.step(episode, 100)
    expect(viewer.locator(".frame-range")).to_have_count(1)
    viewer.get_by_label("Step", exact=True).focus()
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 100)
    viewer.keyboard.press("ArrowLeft")
    at_step(viewer, 2)


def test_the_key_for_the_last_step_follows_a_growing_episode(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("ArrowLeft")
    at_step(viewer, 1)
    for index in (3, 4):
        factories.step(episode, index)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 1 of 4")
    viewer.keyboard.press("End")
    at_step(viewer, 4)


def test_the_latest_step_is_followed_until_the_reader_goes_elsewhere(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("l")
    expect(viewer.locator("[data-live-jump]")).to_have_text("Following the latest")
    for index in (3, 4):
        factories.step(episode, index)
        at_step(viewer, index)
    viewer.keyboard.press("ArrowLeft")
    at_step(viewer, 3)
    expect(viewer.locator("[data-live-jump]")).to_have_text("Jump to latest")
    factories.step(episode, 5)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 3 of 5")


def test_the_latest_step_is_followed_until_the_reader_begins_a_note(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("l")
    expect(viewer.locator("[data-live-jump]")).to_have_text("Following the latest")
    viewer.keyboard.press("e")
    expect(viewer.locator("[data-live-jump]")).to_have_text("Jump to latest")
    viewer.keyboard.type("of two")
    viewer.keyboard.press("Control+Enter")
    expect(viewer.get_by_text("You of two")).to_be_visible()
    factories.step(episode, 3)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 3")
    settled(viewer)
    at_step(viewer, 2)


def test_a_screenshot_that_is_uploaded_after_its_step_appears(viewer: Page, episode: Episode) -> None:
    sha256 = picture_make("/late")
    Blob.objects.filter(pk=sha256).delete()
    factories.step(episode, 3, screenshot=sha256)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 3")
    viewer.keyboard.press("End")
    at_step(viewer, 3)
    expect(viewer.locator(".shot-none")).to_have_text("It was announced but has not been uploaded.")
    picture_make("/late")
    expect(viewer.get_by_role("img", name="The page before the action of step 3")).to_be_visible()


def test_looking_for_a_screenshot_changes_nothing_else(viewer: Page, episode: Episode) -> None:
    sha256 = picture_make("/late")
    Blob.objects.filter(pk=sha256).delete()
    factories.step(episode, 3, screenshot=sha256)
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 3")
    viewer.keyboard.press("End")
    at_step(viewer, 3)
    settled(viewer)
    mine = viewer.locator(".action-card [data-mine]")
    viewer.evaluate("document.querySelector('.action-card').firstElementChild.dataset.mine = ''")
    requests: list[str] = []
    viewer.on("request", lambda request: requests.append(request.url))
    for _ in range(2):
        viewer.wait_for_event("requestfinished", lambda request: request.url.endswith("/steps/3?fragment"))
    expect(mine).to_have_count(1)
    assert not [url for url in requests if "/steps/2" in url]
    picture_make("/late")
    expect(viewer.get_by_role("img", name="The page before the action of step 3")).to_be_visible()
    expect(mine).to_have_count(1)


def test_a_paused_viewer_holds_updates_even_without_its_socket(
    viewer: Page, live: Wire, episode: Episode
) -> None:
    viewer.keyboard.press("w")
    says(viewer, "Paused")
    factories.step(episode, 3)
    expect(viewer.locator("[data-live-new]")).to_have_text(", 1 new")
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 2")
    live.cut()
    viewer.keyboard.press("w")
    says(viewer, "Polling every 3 s")
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("Step 2 of 3")


@pytest.mark.parametrize("is_following", [False, True])
def test_jumping_to_the_latest_step_resumes_updates(
    viewer: Page, episode: Episode, is_following: bool
) -> None:
    if is_following:
        viewer.keyboard.press("l")
    viewer.keyboard.press("w")
    says(viewer, "Paused")
    factories.step(episode, 3)
    expect(viewer.locator("[data-live-new]")).to_have_text(", 1 new")
    viewer.keyboard.press("l")
    says(viewer, "Live")
    expect(viewer.locator("[data-live-jump]")).to_have_text("Following the latest")
    at_step(viewer, 3)


def test_jumping_to_the_latest_step_resumes_updates_after_the_end_too(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("w")
    says(viewer, "Paused")
    factories.step(episode, 3)
    finish(episode)
    close(episode)
    viewer.keyboard.press("l")
    says(viewer, "Ended")
    at_step(viewer, 3)
    expect(viewer.locator(".viewer-head")).to_contain_text("correct")


def test_the_verdict_comes_and_following_ends(viewer: Page, episode: Episode) -> None:
    finish(episode, "incorrect")
    says(viewer, "Judged")
    expect(viewer.locator(".live-bar [data-live-reason]")).to_have_text(LAST_STEP_TO_COME)
    close(episode)
    says(viewer, "Ended")
    expect(viewer.locator(".viewer-head")).to_contain_text("incorrect")
    expect(viewer.locator("#answer")).to_contain_text("incorrect")


def test_a_hostile_step_in_the_timeline_runs_nothing(viewer: Page, episode: Episode) -> None:
    requests: list[str] = []
    viewer.on("request", lambda request: requests.append(request.url))
    factories.step(episode, 3, thought=HOSTILE, action={"type": HOSTILE, "text": HOSTILE, "target": HOSTILE})
    expect(viewer.locator(".steps-track .item-number")).to_have_text(["1", "2", "3"])
    viewer.keyboard.press("l")
    at_step(viewer, 3)
    assert viewer.evaluate("window.ran") is None
    assert not [address for address in requests if "evil" in address]


def test_an_episode_opened_before_its_first_step_gets_its_timeline(
    lab_page: Callable[..., Page], live: Wire
) -> None:
    episode = factories.episode()
    page = lab_page()
    page.goto(f"/episodes/{episode.pk}/")
    says(page, "Live")
    for index in (1, 2):
        factories.step(episode, index)
    expect(page.locator(".timeline-track .frame-number")).to_have_text(["1", "2"])


@pytest.mark.parametrize("width", [1440, 400])
def test_a_following_viewer_is_accessible_in_every_width(viewer: Page, width: int) -> None:
    viewer.set_viewport_size({"width": width, "height": 800})
    assert viewer.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(viewer) == []


def test_provisional_measures_become_final_after_the_end(viewer: Page, episode: Episode) -> None:
    for index in (3, 4):
        factories.step(episode, index, observation_text="page", action={"type": "click", "target": "e1"})
    timeline = viewer.locator(".steps-track")
    expect(timeline).to_contain_text("same as step 3 (so far)")
    badge = viewer.locator(".action-card .tag").first
    expect(badge).to_contain_text("Not checked yet")
    card = viewer.locator(".action-card")
    expect(card).not_to_contain_text("measures have not been computed since the episode ended")
    finish(episode, "incorrect")
    expect(card).to_contain_text("measures have not been computed since the episode ended")
    Episode.objects.filter(pk=episode.pk).update(closed_at=Now())
    says(viewer, "Judged")
    expect(viewer.locator(".live-bar [data-live-reason]")).to_have_text(AWAITING_MEASURES)
    facts_compute([episode.pk])
    says(viewer, "Ended")
    expect(timeline).not_to_contain_text("so far")
    expect(timeline).to_contain_text("same as step 3")
    expect(badge).not_to_contain_text("yet")
    expect(card).not_to_contain_text("so far")
    expect(viewer.locator(".live-bar [data-live-reason]")).to_be_empty()
