"""An open episode, followed in a real browser over a real socket that tests can cut."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.e2e.test_step_viewer import HOSTILE
from tests.e2e.wire import Wire
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Episode
from trajectories.rollouts.live import events
from trajectories.shell.updates import AWAITING_STEPS

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
ANSWER = {"type": "answer", "text": "42"}
# Longer than the socket waits before it is tried again.
PATIENCE_MS = 40_000
LAST_STEP_TO_COME = AWAITING_STEPS.format(30)


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    made = factories.episode(max_steps=200)
    factories.step(made, 1, thought="The first look.")
    return made


@pytest.fixture
def page(lab_page: LabPage, live: Wire, episode: Episode) -> Page:
    """The page of an open episode, which updates live."""
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/episodes/{episode.pk}/")
    says(page, "Live")
    return page


def says(page: Page, word: str) -> None:
    expect(page.locator("[data-live-status]")).to_have_text(word, timeout=PATIENCE_MS)


def rows(page: Page) -> Any:
    return page.locator(".step-row .step-link")


def finish(episode: Episode, outcome: str = "correct") -> None:
    factories.verdict(episode, outcome)
    events.episodes_ended(run_id=episode.run_id, ids=[episode.pk])


def close(episode: Episode) -> None:
    facts_compute([episode.pk])
    Episode.objects.filter(pk=episode.pk).update(closed_at=Episode.objects.get(pk=episode.pk).finished_at)


def test_steps_and_verdict_appear_live_until_the_episode_has_ended(page: Page, episode: Episode) -> None:
    page.evaluate("window.samePage = true")
    factories.step(episode, 2, thought="The second look.")
    expect(rows(page)).to_have_text(["1", "2"])
    expect(page.locator("[data-live-announcer]")).to_have_text("Step 2")
    about = page.get_by_role("complementary", name="About the episode")
    expect(about).not_to_contain_text("Finished")
    finish(episode)
    expect(page.get_by_role("heading", name="Correct")).to_be_visible()
    says(page, "Judged")
    expect(page.locator(".live-bar [data-live-reason]")).to_have_text(LAST_STEP_TO_COME)
    expect(about).to_contain_text("Finished")
    expect(page.locator("#outcome")).to_contain_text("correct")
    factories.step(episode, 3, action=ANSWER)
    expect(rows(page)).to_have_text(["1", "2", "3"])
    close(episode)
    says(page, "Ended")
    expect(page.locator("[data-live-announcer]")).to_have_text("Verdict: correct")
    expect(page.get_by_role("button", name="Pause updates")).to_be_hidden()
    assert page.evaluate("window.samePage") is True


def test_without_its_socket_a_page_polls_until_it_reconnects(
    page: Page, live: Wire, episode: Episode
) -> None:
    live.cut()
    says(page, "Polling every 3 s")
    factories.step(episode, 2)
    expect(rows(page)).to_have_count(2)
    live.mend()
    says(page, "Live")
    factories.step(episode, 3)
    expect(rows(page)).to_have_count(3)


def test_a_hanging_server_with_an_open_socket_is_not_shown_as_live(
    page: Page, live: Wire, episode: Episode
) -> None:
    live.hang()
    says(page, "Polling every 3 s")
    factories.step(episode, 2)
    expect(rows(page)).to_have_count(2)
    live.mend()
    says(page, "Live")


def test_a_page_without_a_socket_polls(lab_page: LabPage, live: Wire, episode: Episode) -> None:
    live.cut()
    page = lab_page()
    page.goto(f"/episodes/{episode.pk}/")
    says(page, "Polling every 3 s")
    factories.step(episode, 2)
    expect(rows(page)).to_have_count(2)


def test_a_paused_page_does_not_change_and_counts_updates(page: Page, episode: Episode) -> None:
    page.get_by_role("button", name="Pause updates").click()
    says(page, "Paused")
    factories.step(episode, 2)
    factories.step(episode, 3)
    expect(page.locator("[data-live-new]")).to_have_text(", 2 new")
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Resume updates").click()
    expect(rows(page)).to_have_count(3)
    says(page, "Live")


def test_a_hidden_tab_sends_no_requests_and_catches_up_later(
    lab_page: LabPage, live: Wire, episode: Episode
) -> None:
    live.cut()
    page = lab_page()
    page.clock.install()
    page.goto(f"/episodes/{episode.pk}/")
    says(page, "Polling every 3 s")
    turn(page, is_hidden=True)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    factories.step(episode, 2)
    page.clock.run_for(60_000)
    assert requests == []
    turn(page, is_hidden=False)
    expect(rows(page)).to_have_count(2)


def turn(page: Page, *, is_hidden: bool) -> None:
    """Hide or show the tab, as when the reader switches tabs."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});"
        " document.dispatchEvent(new Event('visibilitychange')) }",
        is_hidden,
    )


def test_updates_keep_what_a_reader_opened_and_focused(page: Page, episode: Episode) -> None:
    factories.verdict(episode)
    factories.step(episode, 2)
    expect(rows(page)).to_have_count(2)
    page.locator("#step-1 .step-link").focus()
    factories.step(episode, 3)
    expect(rows(page)).to_have_count(3)
    expect(page.locator("#step-1 .step-link")).to_be_focused()


def test_a_hostile_live_step_runs_nothing(page: Page, episode: Episode) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    factories.step(episode, 2, thought=HOSTILE, action={"type": "type", "text": HOSTILE, "target": HOSTILE})
    expect(rows(page)).to_have_count(2)
    expect(page.locator("#step-2")).to_contain_text("<script>window.ran=1</script>")
    assert page.evaluate("window.ran") is None
    assert not [address for address in requests if "evil" in address]
    expect(page.locator("#step-2 img, #step-2 iframe, #step-2 style")).to_have_count(0)


def test_jumping_to_the_latest_follows_it_until_the_reader_scrolls(page: Page, episode: Episode) -> None:
    for index in range(2, 61):
        factories.step(episode, index)
    expect(rows(page)).to_have_count(50)
    link = page.locator("[data-live-jump]")
    expect(link).to_have_attribute("href", "?tail=1#latest")
    link.click()
    expect(page).to_have_url(re.compile(r"\?tail=1#latest$"))
    expect(rows(page).last).to_have_text("60")
    says(page, "Live")
    expect(link).to_have_text("Following the latest")
    factories.step(episode, 61)
    expect(page.locator("#step-61")).to_be_in_viewport()
    expect(rows(page)).to_have_count(50)
    page.mouse.wheel(0, -600)
    expect(link).to_have_text("Jump to latest")


def test_jumping_to_the_latest_resumes_updates(page: Page, episode: Episode) -> None:
    page.keyboard.press("w")
    says(page, "Paused")
    for index in range(2, 41):
        factories.step(episode, index)
    expect(page.locator("[data-live-new]")).to_have_text(", 39 new")
    page.keyboard.press("l")
    says(page, "Live")
    expect(page.locator("[data-live-jump]")).to_have_text("Following the latest")
    expect(page.locator("#step-40")).to_be_in_viewport()


def test_jumping_to_the_latest_resumes_updates_after_the_end_too(page: Page, episode: Episode) -> None:
    page.keyboard.press("w")
    says(page, "Paused")
    for index in range(2, 41):
        factories.step(episode, index)
    finish(episode)
    close(episode)
    page.keyboard.press("l")
    says(page, "Ended")
    expect(page.locator("#step-40")).to_be_in_viewport()


def test_without_scripts_an_open_episode_can_be_refreshed(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto(f"/episodes/{episode.pk}/")
    expect(page.locator("[data-live-status]")).to_have_text("Not updating automatically")
    expect(page.get_by_role("button", name="Pause updates")).to_be_hidden()
    factories.step(episode, 2)
    page.get_by_role("link", name="Refresh").click()
    expect(rows(page)).to_have_count(2)


def test_an_ended_episode_is_not_followed(lab_page: LabPage, live: Wire, episode: Episode) -> None:
    finish(episode)
    close(episode)
    page = lab_page()
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(f"/episodes/{episode.pk}/")
    expect(page.locator("[data-live]")).to_have_count(0)
    assert sockets == []


@pytest.mark.parametrize("width", [1440, 400])
def test_a_live_page_is_accessible_in_every_width(page: Page, episode: Episode, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    factories.step(episode, 2)
    expect(rows(page)).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(page) == []


def test_the_end_that_a_key_jumps_to_has_no_outline(page: Page) -> None:
    page.keyboard.press("l")
    latest = page.locator("#latest")
    expect(latest).to_be_focused()
    assert latest.evaluate("(one) => getComputedStyle(one).outlineStyle") == "none"
