"""How the booking site's tasks are solved on its pages, by what a person finds and presses there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from playwright.sync_api import Page, expect

from gymsite.core.draws import Draws
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, world_key
from tasks_app.worlds.stays.amenities import names
from tasks_app.worlds.stays.types import Listing, Room, World
from tasks_app.worlds.stays.world import world as world_draw

FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="stays", number=PUBLIC_WORLD)
MONEY = re.compile(r"EUR (\d+\.\d\d)")
ADDRESSES = "all => all.map(a => a.href)"
SHOW_ALL = "Show all amenities of house and rooms"
CELLS = "all => all.map(td => [...td.children].map(one => one.textContent))"


def world() -> World:
    return world_draw(KEY, edition="train", first_day=FIRST_DAY)


def task_of(module: Any, *, level: int) -> SiteTask:
    """The first task that the family draws."""
    drawn = (module.draw(world(), Draws(b"e2e", level, number), level) for number in range(20))
    return next(task for task in drawn if task)


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


def total(page: Page, *, label: str = "Total price") -> int:
    """The total price of an offer in cents."""
    row = page.get_by_role("row", name=label).inner_text()
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
        listing, room = found(leg["room"])
        search(page, leg, house=listing.name)
        press(page, "link", listing.name)
        press(page, "link", f"Book {room.name}")
        cents += total(page)
        number = listing_number(page)
    submit(page, (answered(cents), number), task.fields)


def solve_book_stay(page: Page, task: SiteTask) -> None:
    """Opens the houses by rating, best first, and books the first room that meets every condition."""
    conditions = task.given["conditions"]
    for house in houses(page, task.given, sort="rating"):
        for _room, address in rooms(page, house, conditions):
            visit(page, address)
            cents = total(page)
            if cents <= int(dict(conditions)["budget"]):
                submit(page, (answered(cents), book(page)), task.fields)
                return
            visit(page, house)
    raise AssertionError("no room meets the conditions")


def solve_cheapest_with_without(page: Page, task: SiteTask) -> None:
    offers = []
    for house in houses(page, task.given, sort="price"):
        for _room, address in rooms(page, house, task.given["conditions"]):
            visit(page, address)
            offers.append((total(page), listing_number(page)))
    cents, number = min(offers)
    submit(page, (answered(cents), number), task.fields)


def solve_missing_amenities(page: Page, task: SiteTask) -> None:
    chosen = [found(number) for number in task.given["rooms"]]
    house_open(page, chosen[0][0].name)
    press(page, "link", SHOW_ALL)
    had = {one for _, room in chosen for one in amenities(page, room.name)}
    missing = [one for one in (names("train")[asked] for asked in task.given["asked"]) if one not in had]
    submit(page, (", ".join(missing), chosen[0][1].id), task.fields)


def solve_first_free_stretch(page: Page, task: SiteTask) -> None:
    listing, room = found(task.given["room"])
    house_open(page, listing.name)
    press(page, "link", f"Calendar and prices of {room.name}")
    since, nights, free = date.fromisoformat(task.given["since"]), task.given["nights"], []
    month = FIRST_DAY.replace(day=1)
    while len(free) < nights:
        for day, text in page.locator("td:is(.is-free, .is-full)").evaluate_all(CELLS):
            night = month.replace(day=int(day))
            if night >= since and len(free) < nights:
                free = [*free, (night, text)] if text != "Full" else []
        page.get_by_role("navigation", name="Months").get_by_role("link").last.click()
        arrive(page)
        month = (month + timedelta(days=31)).replace(day=1)
    submit(page, (str(free[0][0]), free[0][1]), task.fields)


def solve_latest_free_cancellation(page: Page, task: SiteTask) -> None:
    ends = []
    for one in task.given["arrivals"]:
        house_open(page, next(listing.name for listing in world().listings if listing.id == one["listing"]))
        terms = page.get_by_role("region", name="Cancelling and changing").inner_text()
        arrival = date.fromisoformat(one["check_in"])
        free = re.findall(r"Cancelling is free of charge until (\d+) day", terms)
        ends += [(arrival - timedelta(days=int(days)), one["listing"]) for days in free]
    last, number = max(ends)
    submit(page, (str(last), number), task.fields)


def houses(page: Page, given: dict[str, Any], *, sort: str) -> Iterator[str]:
    """Addresses of the houses that have something for the stay in the places asked for."""
    search(page, given)
    filters = page.get_by_role("form", name="Filters")
    for place in given["places"]:
        filters.get_by_label(place, exact=True).check()
    filters.get_by_label("Sort by").select_option(sort)
    press(page, "button", "Apply filters")
    while True:
        after, links = page.get_by_role("link", name="Next page"), page.get_by_role("region", name="Results")
        after_address = after.evaluate("a => a.href") if after.count() else ""
        yield from (
            links.get_by_role("heading").get_by_role("link").evaluate_all("all => all.map(a => a.href)")
        )
        if not after_address:
            return
        visit(page, after_address)


def rooms(page: Page, house: str, conditions: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Name and checkout of each room of a house that can be booked and has the amenities asked for."""
    visit(page, house)
    offers = page.get_by_role("link", name=re.compile("^Book ")).evaluate_all(
        "all => all.map(a => [a.getAttribute('aria-label').slice(5), a.href])"
    )
    press(page, "link", SHOW_ALL)
    shared = amenities(page, "The house, shared by all guests")
    own = {room: amenities(page, room) for room, _ in offers}
    for room, address in offers:
        if all(_holds(shared, own[room], *condition) for condition in conditions):
            yield room, address


def _holds(shared: set[str], own: set[str], kind: str, value: str) -> bool:
    called = names("train").get(value)
    match kind:
        case "room_has":
            return called in own
        case "house_has":
            return called in shared
        case "without":
            return called not in own | shared
    return True


def amenities(page: Page, place: str) -> set[str]:
    """What the house or a room has, once all is shown."""
    region = page.get_by_role("region", name=re.compile(rf"^{re.escape(place)}( \(R-\d+\))?$"))
    return {one for line in region.locator("dd").all_inner_texts() for one in line.split(", ")}


def house_open(page: Page, name: str) -> None:
    search(page, {"check_in": "", "check_out": "", "guests": 2}, house=name)
    press(page, "link", name)


def listing_number(page: Page) -> str:
    return str(re.findall(r"Listing (L-\d+)", page.get_by_role("main").inner_text())[0])


def visit(page: Page, address: str) -> None:
    page.goto(address)
    arrive(page)


def book(page: Page) -> str:
    """Fill in the checkout and book; the confirmation code."""
    page.get_by_label("Full name").fill("Kim Doe")
    page.get_by_label("E-mail").fill("kim@example.org")
    page.get_by_label("I agree to the house rules").check()
    press(page, "button", "Book this stay")
    expect(page.get_by_role("heading", name="Your stay is booked")).to_be_visible()
    return page.locator("dt:has-text('Confirmation code') + dd").inner_text()


def solve_change_dates(page: Page, task: SiteTask) -> None:
    """For tasks that name the new day of arrival."""
    code, first = task.given["trip"], date.fromisoformat(task.given["first"])
    nights = next(trip.stay.nights for trip in world().trips if trip.code == code)
    press(page, "link", "My trips")
    press(page, "link", f"Change dates of {code}")
    page.get_by_label("Arrival", exact=True).fill(first.isoformat())
    page.get_by_label("Departure", exact=True).fill((first + timedelta(days=nights)).isoformat())
    press(page, "button", "Show the new price")
    fee = MONEY.findall(page.get_by_role("main").get_by_text("Fee for the change").inner_text())[0]
    cents = total(page, label="New total price") + int(fee.replace(".", ""))
    press(page, "button", "Change to these dates")
    submit(page, (answered(cents), code), task.fields)


def solve_cancel_and_rebook(page: Page, task: SiteTask) -> None:
    fees = {code: _fee(page, code) for code in task.given["trips"]}
    code = min(fees, key=lambda one: fees[one])
    trip = next(trip for trip in world().trips if trip.code == code)
    stay = {"check_in": str(trip.check_in), "check_out": str(trip.check_out), "guests": trip.guests}
    press(page, "link", "My trips")
    press(page, "link", f"Cancel {code}")
    press(page, "button", "Cancel this trip")
    for number in task.given["rooms"]:
        listing, room = found(number)
        search(page, stay, house=listing.name)
        house = page.get_by_role("link", name=listing.name, exact=True)
        if not house.count():
            continue
        press(page, "link", listing.name)
        if page.get_by_role("link", name=f"Book {room.name}", exact=True).count():
            press(page, "link", f"Book {room.name}")
            submit(page, (answered(fees[code]), book(page)), task.fields)
            return
    raise AssertionError("all the rooms are full")


def _fee(page: Page, code: str) -> int:
    press(page, "link", "My trips")
    press(page, "link", f"Cancel {code}")
    fee = MONEY.findall(page.get_by_text("Cancelling today costs").inner_text())[0]
    press(page, "link", "Keep it")
    return int(fee.replace(".", ""))


def found(number: str) -> tuple[Listing, Room]:
    return next(
        (listing, room) for listing in world().listings for room in listing.rooms if room.id == number
    )
