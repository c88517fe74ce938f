"""Bookmarks and notes while the server is slow, or away: each belongs to the step that it was written on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.test_lab_pages import settled
from tests.e2e.test_step_viewer import at_step
from tests.lab.long_scene import long_episode
from trajectories.models import Episode, StepMark

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    return long_episode(steps=12)


@pytest.fixture
def viewer(lab_page: LabPage, episode: Episode) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/episodes/{episode.pk}/steps/5")
    settled(page)
    return page


class Slow:
    """Requests, saves unless another address is given, that the test lets through one by one."""

    def __init__(self, page: Page, address: str = r"/mark\?") -> None:
        self.waiting: list[Route] = []
        self._page = page
        self._is_open = False
        page.route(re.compile(address), self._hold)

    def release(self) -> None:
        self._next().continue_()

    def release_all(self) -> None:
        """Also those that follow."""
        self._is_open = True
        self.release()
        while self.waiting:
            self.release()

    def refuse(self) -> None:
        self._next().abort()

    def _hold(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self.waiting.append(route)

    def _next(self) -> Route:
        for _ in range(500):
            if self.waiting:
                return self.waiting.pop(0)
            self._page.wait_for_timeout(10)
        raise AssertionError("nothing was sent")


def late_step(page: Page, index: int) -> Slow:
    """The answer with a step of this number, until the test lets it through."""
    return Slow(page, rf"/steps/{index}\?fragment")


def notes() -> list[tuple[int, str]]:
    return list(StepMark.objects.order_by("step").values_list("step", "note"))


def stored(page: Page, expected: list[tuple[int, str]]) -> None:
    for _ in range(200):
        if notes() == expected:
            return
        page.wait_for_timeout(50)
    assert notes() == expected


def note_on(page: Page) -> Locator:
    return page.locator("#step").get_by_label("Note", exact=True)


def write(page: Page, text: str) -> None:
    page.keyboard.press("e")
    page.keyboard.type(text)
    page.keyboard.press("Control+Enter")


def test_notes_written_while_others_are_saved_belong_to_their_own_steps(viewer: Page) -> None:
    slow = Slow(viewer)
    for step in (5, 6, 7):
        write(viewer, f"of {step}: jkm ok")
        viewer.keyboard.press("ArrowRight")
        at_step(viewer, step + 1)
    assert notes() == []
    viewer.keyboard.press("e")
    viewer.keyboard.type("of 8, beg")
    for _ in range(3):
        slow.release()
    expect(viewer.locator("#steps").get_by_text("bookmarked")).to_have_count(3)
    viewer.keyboard.type("un")
    at_step(viewer, 8)
    viewer.keyboard.press("Control+Enter")
    slow.release()
    expect(viewer.locator("#step").get_by_text("of 8, begun").first).to_be_visible()
    stored(viewer, [(step, f"of {step}: jkm ok") for step in (5, 6, 7)] + [(8, "of 8, begun")])


def test_a_note_changed_while_it_is_saved_keeps_both_changes(viewer: Page) -> None:
    slow = Slow(viewer)
    write(viewer, "one")
    viewer.keyboard.press("e")
    viewer.keyboard.type(", two")
    slow.release()
    expect(viewer.get_by_text("You one")).to_be_visible()
    expect(note_on(viewer)).to_be_focused()
    viewer.keyboard.type(", three")
    viewer.keyboard.press("Control+Enter")
    viewer.keyboard.press("e")
    viewer.keyboard.type(", four")
    viewer.keyboard.press("Control+Enter")
    slow.release()
    slow.release()
    expect(viewer.get_by_text("You one, two, three, four")).to_be_visible()
    stored(viewer, [(5, "one, two, three, four")])


def test_a_note_that_cannot_be_saved_stays_and_the_reader_learns_why(viewer: Page) -> None:
    slow = Slow(viewer)
    write(viewer, "not lost")
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 6)
    slow.refuse()
    status = viewer.locator("#step").get_by_role("status")
    expect(status).to_contain_text("The note on step 5 was not saved. The server cannot be reached")
    status.get_by_role("link", name="Open step 5").click()
    at_step(viewer, 5)
    expect(note_on(viewer)).to_have_value("not lost")
    viewer.reload()
    settled(viewer)
    expect(note_on(viewer)).to_have_value("not lost")
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 6)
    expect(note_on(viewer)).to_be_hidden()
    viewer.keyboard.press("ArrowLeft")
    at_step(viewer, 5)
    note_on(viewer).focus()
    viewer.keyboard.press("Control+Enter")
    slow.release()
    expect(viewer.get_by_text("You not lost")).to_be_visible()
    stored(viewer, [(5, "not lost")])


def test_what_is_added_to_a_note_comes_behind_it(viewer: Page) -> None:
    for text, shown in (("one", "one"), (", two", "one, two")):
        write(viewer, text)
        expect(viewer.get_by_text(f"You {shown}", exact=True)).to_be_visible()


def test_a_note_is_saved_also_if_the_reader_leaves_the_page(viewer: Page, episode: Episode) -> None:
    write(viewer, "and gone")
    viewer.keyboard.press("u")
    expect(viewer).to_have_url(re.compile(rf"/episodes/{episode.pk}/"))
    stored(viewer, [(5, "and gone")])


@pytest.mark.parametrize("comes", ["while the note is written", "after the note is saved"])
def test_a_step_that_comes_late_takes_nobody_away_from_their_note(viewer: Page, comes: str) -> None:
    late = late_step(viewer, 7)
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 6)
    viewer.keyboard.press("ArrowRight")
    viewer.keyboard.press("e")
    viewer.keyboard.type("of six, ")
    if comes == "while the note is written":
        late.release_all()
        settled(viewer)
    viewer.keyboard.type("jm")
    expect(note_on(viewer)).to_have_value("of six, jm")
    viewer.keyboard.press("Control+Enter")
    expect(viewer.get_by_text("You of six, jm")).to_be_visible()
    if comes == "after the note is saved":
        late.release_all()
        settled(viewer)
    at_step(viewer, 6)
    stored(viewer, [(6, "of six, jm")])
    viewer.keyboard.press("ArrowRight")
    at_step(viewer, 7)


def test_going_back_to_a_step_that_comes_late_takes_nobody_away_from_their_note(
    viewer: Page, episode: Episode
) -> None:
    late = late_step(viewer, 9)
    viewer.goto(f"/episodes/{episode.pk}/steps/9")
    viewer.locator("#go").fill("5")
    viewer.keyboard.press("Enter")
    at_step(viewer, 5)
    viewer.go_back()
    expect(viewer).to_have_url(re.compile("/steps/9$"))
    write(viewer, "of five")
    expect(viewer.get_by_text("You of five")).to_be_visible()
    late.release_all()
    settled(viewer)
    at_step(viewer, 5)
    stored(viewer, [(5, "of five")])


def test_bookmarks_by_key_belong_to_the_step_on_the_screen(viewer: Page) -> None:
    slow = Slow(viewer)
    for step in (5, 6):
        viewer.keyboard.press("m")
        viewer.keyboard.press("ArrowRight")
        at_step(viewer, step + 1)
    viewer.keyboard.press("ArrowLeft")
    at_step(viewer, 6)
    for _ in range(2):
        slow.release()
    expect(viewer.get_by_role("button", name="Bookmarked")).to_be_visible()
    stored(viewer, [(5, ""), (6, "")])
    viewer.keyboard.press("m")
    slow.release()
    expect(viewer.get_by_role("button", name="Bookmarked")).to_have_count(0)
    stored(viewer, [(5, "")])


def test_a_note_that_another_tab_has_changed_is_not_overwritten(viewer: Page, episode: Episode) -> None:
    StepMark.objects.create(user_id=viewer_id(viewer), episode_id=episode.pk, step=5, note="of the other tab")
    write(viewer, "mine")
    expect(viewer.locator("#step").get_by_role("status")).to_contain_text("changed in another tab")
    expect(viewer.get_by_text("You of the other tab")).to_be_visible()
    expect(note_on(viewer)).to_have_value("mine")
    note_on(viewer).focus()
    viewer.keyboard.press("Control+Enter")
    expect(viewer.get_by_text("You mine")).to_be_visible()
    stored(viewer, [(5, "mine")])


def viewer_id(page: Page) -> int:
    return int(str(page.locator("[data-bookmark]").get_attribute("data-reader")))
