from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tasks_app.families.stays import (
    book_stay,
    cancel_and_rebook,
    change_dates,
    cheapest_with_without,
    first_free_stretch,
    latest_free_cancellation,
    missing_amenities,
    total_price,
)
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal
from tasks_app.worlds.stays.state import fold, plain
from tests import factories
from tests.e2e import stays_solving as solving
from tests.e2e.conftest import ArenaServer
from tests.e2e.stays_solving import FIRST_DAY, KEY, arrive, book, found, press, search, task_of, world
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


def episode_of(task: SiteTask, *, edition: str = "train", **fields: Any) -> Episode:
    payload = {
        "site": "stays",
        "world": PUBLIC_WORLD,
        "edition": edition,
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
    }
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start, **fields)


@pytest.mark.parametrize(
    ("module", "level", "solve"),
    [
        (total_price, 1, solving.solve_total_price),
        (total_price, 3, solving.solve_total_price),
        (missing_amenities, 3, solving.solve_missing_amenities),
        (first_free_stretch, 3, solving.solve_first_free_stretch),
        (latest_free_cancellation, 2, solving.solve_latest_free_cancellation),
        (cheapest_with_without, 1, solving.solve_cheapest_with_without),
    ],
)
def test_what_a_task_asks_about_can_be_read_on_the_pages(
    arena_server: ArenaServer, open_page: OpenPage, module: Any, level: int, solve: Callable[..., None]
) -> None:
    task = task_of(module, level=level)
    episode = episode_of(task)
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    solve(page, task)
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer


@pytest.mark.parametrize(
    ("module", "level", "solve"),
    [
        (book_stay, 1, solving.solve_book_stay),
        (book_stay, 2, solving.solve_book_stay),
        (change_dates, 1, solving.solve_change_dates),
        (cancel_and_rebook, 1, solving.solve_cancel_and_rebook),
        (cancel_and_rebook, 3, solving.solve_cancel_and_rebook),
    ],
)
def test_what_a_task_asks_for_can_be_done_on_the_pages(
    arena_server: ArenaServer, open_page: OpenPage, module: Any, level: int, solve: Callable[..., None]
) -> None:
    task = task_of(module, level=level)
    episode = episode_of(task)
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    solve(page, task)
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    assert task.goal is not None
    state = plain(fold(world(), _events(episode)))
    assert {part: state[part] for part in task.goal["state"]} == task.goal["state"]


def _events(episode: Episode) -> Any:
    return SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")


def test_a_day_is_chosen_in_the_calendar_of_its_field(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(task_of(total_price, level=1))))
    arrive(page)
    page.get_by_role("button", name="Calendar of arrival").click()
    picker = page.get_by_role("dialog", name="Calendar of arrival")
    expect(picker.get_by_text("March 2027")).to_be_visible()
    picker.get_by_role("button", name="Later").click()
    picker.get_by_role("button", name="15 April 2027").click()
    expect(picker).to_be_hidden()
    expect(page.get_by_label("Arrival", exact=True)).to_have_value("2027-04-15")
    page.get_by_role("button", name="Calendar of arrival").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(picker).to_be_hidden()


def test_a_stay_is_booked_and_cancelled_again(arena_server: ArenaServer, open_page: OpenPage) -> None:
    task = task_of(total_price, level=1)
    episode = episode_of(task)
    leg = task.given["legs"][0]
    listing, room = found(leg["room"])
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    search(page, leg, house=listing.name)
    press(page, "link", listing.name)
    press(page, "link", f"Book {room.name}")
    press(page, "button", "Book this stay")
    expect(page.get_by_text("Tell the house your name.")).to_be_visible()
    code = book(page)
    press(page, "link", "My trips")
    press(page, "link", f"Cancel {code}")
    press(page, "button", "Cancel this trip")
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    assert fold(world(), _events(episode)).trips[-1].status == "cancelled"


def test_the_newsletter_lies_over_the_page_until_it_is_closed_by_keyboard(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    """The world of the other edition has one, and no other notice."""
    page = open_page()
    start = arena_server.address(episode_of(task_of(total_price, level=1), edition="test"))
    addresses = [f"{start}search?check_in=2027-05-0{day}&check_out=2027-05-09&guests=2" for day in (4, 5, 6)]
    for address in addresses:
        page.goto(address)
        solving.settled(page)
    notice = page.get_by_role("dialog", name="Letters from")
    expect(notice).to_be_visible()
    search_button = page.get_by_role("button", name="Search", exact=True)
    box = search_button.bounding_box() or {"x": 0, "y": 0}
    page.mouse.click(box["x"] + 2, box["y"] + 2)
    assert page.url == addresses[-1]
    notice.get_by_role("button", name="No, thank you").press("Enter")
    expect(notice).to_have_count(0)
    assert page.url == addresses[-1]
