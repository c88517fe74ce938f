from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from gymsite.core.draws import Draws
from tasks_app.families.stays import book_stay, total_price
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from tasks_app.worlds.stays.amenities import names
from tasks_app.worlds.stays.state import fold, plain
from tasks_app.worlds.stays.types import Listing, Room, World
from tasks_app.worlds.stays.world import world as world_draw
from tests import factories
from tests.e2e.conftest import ArenaServer
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="stays", number=PUBLIC_WORLD)
MONEY = re.compile(r"EUR (\d+\.\d\d)")


def world() -> World:
    return world_draw(KEY, edition="train", first_day=FIRST_DAY)


def task_of(module: Any, *, level: int) -> SiteTask:
    """The first task that the family draws."""
    drawn = (module.draw(world(), Draws(b"e2e", level, number), level) for number in range(20))
    return next(task for task in drawn if task)


def episode_of(task: SiteTask, **fields: Any) -> Episode:
    payload = {
        "site": "stays",
        "world": PUBLIC_WORLD,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
    }
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start, **fields)


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def press(page: Page, role: Any, name: str) -> None:
    page.get_by_role(role, name=name, exact=True).click()
    arrive(page)


def arrive(page: Page) -> None:
    """Wait for the page, and close what lies over it."""
    settled(page)
    notice = page.get_by_role("dialog")
    if notice.count():
        notice.get_by_role("button").click()
        settled(page)
        expect(notice).to_have_count(0)


def search(page: Page, given: dict[str, Any], *, house: str = "") -> None:
    """From any page: the stay's dates and guests into the form of the first page."""
    press(page, "link", "Staywell")
    form = page.get_by_role("search", name="Find a stay")
    form.get_by_label("Arrival", exact=True).fill(given["check_in"])
    form.get_by_label("Departure", exact=True).fill(given["check_out"])
    form.get_by_label("Guests").select_option(str(given["guests"]))
    form.get_by_label("Name of the house").fill(house)
    press(page, "button", "Search")


def total(page: Page) -> int:
    """The total price in cents, at the checkout."""
    row = page.get_by_role("row", name="Total price").inner_text()
    return int(MONEY.findall(row)[0].replace(".", ""))


def submit(page: Page, values: tuple[str, ...], fields: tuple[str, ...]) -> None:
    bar = page.get_by_role("region", name="Task")
    for label, value in zip(fields, values, strict=True):
        bar.get_by_label(label, exact=True).fill(value)
    press(page, "button", "Submit answer")
    expect(page.get_by_role("heading", name="Answer recorded")).to_be_visible()


def answered(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def solve_total_price(page: Page, task: SiteTask) -> None:
    cents, number = 0, ""
    for leg in task.given["legs"]:
        listing, room = _found(leg["room"])
        search(page, leg, house=listing.name)
        press(page, "link", listing.name)
        press(page, "link", f"Book {room.name}")
        cents += total(page)
        number = re.findall(r"Listing (L-\d+)", page.locator("main").inner_text())[0]
    submit(page, (answered(cents), number), task.fields)


def solve_book_stay(page: Page, task: SiteTask) -> None:
    """Opens the houses by rating, best first, and books the first room that meets every condition."""
    search(page, task.given)
    filters = page.get_by_role("form", name="Filters")
    for place in task.given["places"]:
        filters.get_by_label(place, exact=True).check()
    filters.get_by_label("Sort by").select_option("rating")
    press(page, "button", "Apply filters")
    results = page.get_by_role("region", name="Results")
    links = results.get_by_role("heading").get_by_role("link")
    for address in links.evaluate_all("all => all.map(a => a.href)"):
        page.goto(address)
        arrive(page)
        if _book_here(page, task):
            return
    raise AssertionError("no room meets the conditions")


def _book_here(page: Page, task: SiteTask) -> bool:
    books = page.get_by_role("link", name=re.compile("^Book "))
    offers = books.evaluate_all("all => all.map(a => [a.getAttribute('aria-label').slice(5), a.href])")
    press(page, "link", "Show all amenities of house and rooms")
    for room, address in offers:
        if not _has_amenities(page, room, task.given["conditions"]):
            continue
        back = page.url
        page.goto(address)
        arrive(page)
        if total(page) <= int(dict(task.given["conditions"])["budget"]):
            _book(page, task)
            return True
        page.goto(back)
        arrive(page)
    return False


def _has_amenities(page: Page, room: str, conditions: list[list[str]]) -> bool:
    called = names("train")
    own = page.get_by_role("region", name=re.compile(rf"^{re.escape(room)} \(R-")).inner_text()
    return all(called[value] in own for kind, value in conditions if kind == "room_has")


def _book(page: Page, task: SiteTask) -> None:
    cents = total(page)
    page.get_by_label("Full name").fill("Kim Doe")
    page.get_by_label("E-mail").fill("kim@example.org")
    page.get_by_label("I agree to the house rules").check()
    press(page, "button", "Book this stay")
    expect(page.get_by_role("heading", name="Your stay is booked")).to_be_visible()
    code = page.locator("dt:has-text('Confirmation code') + dd").inner_text()
    submit(page, (answered(cents), code), task.fields)


def _found(number: str) -> tuple[Listing, Room]:
    return next(
        (listing, room) for listing in world().listings for room in listing.rooms if room.id == number
    )


@pytest.mark.parametrize("level", [1, 3])
def test_the_total_price_of_several_stays_is_found(
    arena_server: ArenaServer, open_page: OpenPage, level: int
) -> None:
    task = task_of(total_price, level=level)
    episode = episode_of(task)
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    solve_total_price(page, task)
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer


@pytest.mark.parametrize("level", [1, 2])
def test_the_best_rated_room_under_conditions_is_booked(
    arena_server: ArenaServer, open_page: OpenPage, level: int
) -> None:
    task = task_of(book_stay, level=level)
    episode = episode_of(task)
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    solve_book_stay(page, task)
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
    listing, room = _found(leg["room"])
    page = open_page()
    page.goto(arena_server.address(episode))
    arrive(page)
    search(page, leg, house=listing.name)
    press(page, "link", listing.name)
    press(page, "link", f"Book {room.name}")
    press(page, "button", "Book this stay")
    expect(page.get_by_text("Tell the house your name.")).to_be_visible()
    page.get_by_label("Full name").fill("Kim Doe")
    page.get_by_label("E-mail").fill("kim@example.org")
    page.get_by_label("I agree to the house rules").check()
    press(page, "button", "Book this stay")
    code = fold(world(), _events(episode)).trips[-1].code
    press(page, "link", "My trips")
    press(page, "link", f"Cancel {code}")
    press(page, "button", "Cancel this trip")
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    assert fold(world(), _events(episode)).trips[-1].status == "cancelled"
