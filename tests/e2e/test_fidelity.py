"""An episode recorded in a real browser, its replays compared with what that browser showed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import Look
from core.storage import blobs
from tests import factories
from tests.behaviour.fidelity.factories import needs_drawing
from tests.coverage_choice import values
from tests.e2e import axe
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_recorder import visit
from tests.e2e.test_arena_recording import episode_make, has_snapshot, inputs, recorded
from tests.e2e.test_dom_replay import acting
from trajectories.behaviour.fidelity import check, sample
from trajectories.models import Episode, Fidelity

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True), needs_drawing]

OpenPage = Callable[..., Page]
SIZE = {"width": 900, "height": 600}


@pytest.fixture
def typed(arena_server: ArenaServer, open_page: OpenPage) -> Episode:
    """A question answered in its second step. The last step's screenshot is one of the first: it
    shows the page before anything was typed."""
    episode = episode_make(task=factories.task(payload={"text": "How many doors?", "format": "plain"}))
    page = open_page(viewport=SIZE)
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)
    empty = blobs.blob_store(page.screenshot()).sha256
    with acting(episode, 1, screenshot=empty):
        page.get_by_role("textbox").focus()
    with acting(episode, 2, screenshot=empty):
        page.keyboard.type("forty-two")
        recorded(page, episode, lambda seen: "forty-two" in inputs(seen))
    with acting(episode, 3, screenshot=blobs.blob_store(page.screenshot()).sha256):
        pass
    with acting(episode, 4, screenshot=empty):
        pass
    page.close()
    factories.verdict(episode)
    return episode


def checked(episode: Episode, index: int) -> Fidelity:
    sample.steps_wait(episode_id=episode.pk, indexes=[index])
    assert check.step_check(episode_id=episode.pk, index=index)
    return Fidelity.objects.get(episode=episode, index=index)


def test_a_replay_of_a_recorded_page_is_faithful_and_one_held_against_another_moment_is_not(
    typed: Episode,
) -> None:
    first, third, last = (checked(typed, index) for index in (1, 3, 4))

    assert (first.state, first.reason) == ("faithful", "")
    assert (third.state, third.reason) == ("faithful", "")
    assert (last.state, last.reason) == ("unfaithful", "")
    assert last.changed_share is not None
    assert last.changed_share > 0.0003


@pytest.mark.parametrize(("width", "theme"), values([1280, 400], ["light", "dark"]))
def test_the_pictures_stand_side_by_side_in_every_window(
    typed: Episode, lab_page: OpenPage, width: int, theme: str
) -> None:
    checked(typed, 4)
    lab = lab_page(viewport={"width": width, "height": 900}, color_scheme=theme)

    lab.goto(f"/episodes/{typed.pk}/steps/4/fidelity")

    expect(lab.get_by_text("Not faithful")).to_be_visible()
    for picture in lab.locator(".side img").all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == SIZE["width"]
    assert lab.evaluate("document.documentElement.scrollWidth") <= width
    assert axe.violations(lab) == []


def test_an_open_dialog_is_replayed_faithfully(arena_server: ArenaServer, open_page: OpenPage) -> None:
    look = Look(form="dialog")
    episode = episode_make(
        task=factories.task(payload={"text": "How many doors?", "format": "plain"}),
        presentation=look.as_dict(),
    )
    page = open_page(viewport=SIZE)
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)
    with acting(episode, 1, screenshot=blobs.blob_store(page.screenshot()).sha256):
        page.get_by_role("button", name="Answer").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox")).to_be_visible()
        page.keyboard.type("42")
        recorded(page, episode, lambda seen: "42" in inputs(seen))
    with acting(episode, 2, screenshot=blobs.blob_store(page.screenshot()).sha256):
        pass

    assert [checked(episode, index).state for index in (1, 2)] == ["faithful", "faithful"]


def test_opening_the_tab_requests_a_check_and_shows_its_result(typed: Episode, lab_page: OpenPage) -> None:
    lab = lab_page(viewport={"width": 1280, "height": 900})
    lab.goto(f"/episodes/{typed.pk}/steps/4#dom")
    badge = lab.locator("#fidelity")

    expect(badge).to_contain_text("The check is waiting for a worker")
    assert check.step_check(episode_id=typed.pk, index=4)
    expect(badge).to_contain_text("Not faithful")
    expect(lab.locator("#tab-dom")).to_contain_text("≠")
    badge.get_by_role("link", name="Compare with the screenshot").click()
    expect(lab.get_by_role("heading", name="Does the replay of step 4 show")).to_be_visible()


def test_without_scripts_a_button_requests_the_check(typed: Episode, lab_page: OpenPage) -> None:
    lab = lab_page(java_script_enabled=False)
    lab.goto(f"/episodes/{typed.pk}/steps/4/fidelity")

    lab.get_by_role("button", name="Check now").click()

    expect(lab.get_by_text("The check is waiting for a worker")).to_be_visible()
    assert check.step_check(episode_id=typed.pk, index=4)
    lab.get_by_role("link", name="Refresh").click()
    expect(lab.get_by_text("Not faithful")).to_be_visible()
