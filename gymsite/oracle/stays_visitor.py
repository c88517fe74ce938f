"""Scripted visitor that uses the booking site as a person would, in any look, and counts moves.

A move is a click, filling in a field, choosing an option, opening a page, or scrolling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from time import monotonic
from typing import Any

from playwright.sync_api import Locator, Page

from core.episodes.presentation import Look
from gymsite.arena.sites.labels import load_labels
from gymsite.oracle.patience import wait_settled
from tasks_app.worlds.stays.types import Listing, Room, Trip, World
from tasks_app.worlds.stays.vocabulary import amenity_names

MONEY = re.compile(r"EUR (\d+\.\d\d)")
HOUSES = "a[href*='stays/L-']"
ADDRESSES = "all => [...new Set(all.map(a => a.href))]"
CARDS = "all => [...new Map(all.map(a => [a.href, a.closest('li, tr').textContent]))]"
ROOMS = """all => all.map(a => {
    const room = a.closest("li");
    return [room.querySelector("h3").textContent, a.href, room.querySelector("strong").textContent];
})"""
CELLS = "all => all.map(td => [...td.children].map(one => one.textContent))"
FILTERED = ("room_has", "house_has")
YOURS, FULL = "Yours", "Full"
POLL_MS, LOAD_LIMIT_S = 50, 20.0


def free_days(terms: str) -> list[int]:
    """List the deadlines for free cancellation in a policy's text, in days before arrival."""
    return [int(days) for days in re.findall(r"Free cancellation until (\d+) day", terms)]


def parse_cents(text: str) -> int:
    """Parse the first sum of money in a text."""
    return int(MONEY.findall(text)[0].replace(".", ""))


@dataclass(frozen=True)
class Offered:
    """A room as offered on its house's page: its checkout, and the price of its nights in cents.

    ``missed`` are the indices of the conditions that it misses, not counting the budget.
    """

    checkout: str
    nights: int
    missed: tuple[int, ...]


@dataclass
class Visitor:
    """Visitor on a page of the site. ``moves`` counts what it has done."""

    page: Page
    look: Look
    town: World
    has_scripts: bool = True
    moves: int = 0

    def __getitem__(self, label: str) -> str:
        return load_labels("stays", self.look.labels)[label]

    def press(self, role: Any, name: str, *, within: Locator | None = None) -> None:
        (within or self.page).get_by_role(role, name=name, exact=True).click()
        self._moved()

    def write(self, field: Locator, text: str) -> None:
        if field.input_value() != text:
            field.fill(text)
            self.moves += 1

    def choose(self, field: Locator, value: str) -> None:
        if field.input_value() != value:
            field.select_option(value)
            self.moves += 1

    def tick(self, box: Locator) -> None:
        box.check()
        self.moves += 1

    def goto(self, address: str) -> None:
        self.page.goto(address)
        self._moved()

    def back(self) -> None:
        self.page.go_back()
        self._moved()

    def _moved(self) -> None:
        self.moves += 1
        self.arrive()

    @property
    def paging(self) -> str:
        return self.look.paging if self.has_scripts else "pages"

    def settle(self) -> None:
        if self.has_scripts:
            wait_settled(self.page)
        else:
            self.page.wait_for_load_state()

    def arrive(self) -> None:
        """Wait for the page to load, and close the pop-ups that cover it."""
        self.settle()
        while self.page.locator("[data-pop-up]").count():
            name = self.page.locator("[data-pop-up]").get_attribute("data-pop-up")
            self.page.locator("[data-pop-up] button").click()
            self.page.locator(f"[data-pop-up={name}]").wait_for(state="detached")
            self.moves += 1
            self.settle()

    def opened(self, opener: str) -> None:
        """Open a form with its button, in looks whose forms are in dialogs."""
        if self.look.form == "dialog":
            self.press("button", opener)

    def room_of(self, number: str) -> tuple[Listing, Room]:
        return next(
            (listing, room) for listing in self.town.listings for room in listing.rooms if room.id == number
        )

    def trip(self, code: str) -> Trip:
        return next(trip for trip in self.town.trips if trip.code == code)

    def search(self, given: Any = None, *, house: str = "") -> None:
        """Search for a stay, a house's name, or both, with this page's form or the home page's."""
        form = self.page.locator("form[role=search]").filter(has=self.page.locator("#place"))
        if not form.count():
            self.press("link", "Staywell")
        is_home = not self.page.get_by_role("region", name="Results").count()
        self.opened(self["find"] if is_home else self["open_find"])
        if given:
            self.stay_write(form, given)
        self.write(form.get_by_label(self["house_name"], exact=True), house)
        self.press("button", self["search"], within=form)

    def stay_write(self, form: Locator, given: Any) -> None:
        self.days_write(form, given)
        self.choose(form.get_by_label(self["guests"], exact=True), str(given["guests"]))

    def days_write(self, form: Locator, given: Any) -> None:
        self.write(form.get_by_label(self["arrival"], exact=True), given["check_in"])
        self.write(form.get_by_label(self["departure"], exact=True), given["check_out"])

    def filter(self, given: Any, *, sort: str = "") -> None:
        """Filter the results by the places and amenities in a task's conditions, and sort them."""
        self.opened(self["open_filters"])
        form = self.page.get_by_role("form", name=self["filters"], exact=True)
        if len(given["places"]) < len(self.town.town.neighbourhoods):
            for place in given["places"]:
                self.tick(form.get_by_label(place, exact=True))
        amenities = [value for kind, value in given["conditions"] if kind in FILTERED]
        if amenities:
            form.locator("summary").click()
            self.moves += 1
        for amenity in amenities:
            self.tick(form.get_by_label(amenity_names(self.town.edition)[amenity], exact=True))
        if sort:
            self.choose(form.get_by_label(self["sort"], exact=True), sort)
        self.press("button", self["apply"], within=form)

    def houses(self) -> list[str]:
        """List the addresses of all houses in the results."""
        results = self.page.get_by_role("region", name="Results")
        houses: list[str] = []
        while True:
            here = results.locator(HOUSES).evaluate_all(ADDRESSES)
            houses = here if self.paging != "pages" else [*houses, *here]
            if not results.locator("a[rel=next]").count():
                return houses
            self.further(len(here))

    def houses_in_turn(self) -> Iterator[tuple[str, int]]:
        """Yield the addresses that ``houses`` lists, with the lowest price per night of each.

        The next page of results is opened only when needed, so houses may be visited in between.
        """
        while True:
            results = self.page.get_by_role("region", name="Results")
            cards = results.locator(HOUSES).evaluate_all(CARDS)
            further = results.locator("a[rel=next]")
            after = further.evaluate("a => a.href") if further.count() else ""
            yield from ((house, parse_cents(text)) for house, text in cards)
            if not after:
                return
            self.goto(after)

    def loosen(self, given: Any) -> None:
        """Remove the amenity filters from these results and sort them by price per night."""
        self.opened(self["open_filters"])
        form = self.page.get_by_role("form", name=self["filters"], exact=True)
        for kind, value in given["conditions"]:
            if kind in FILTERED:
                form.get_by_label(amenity_names(self.town.edition)[value], exact=True).uncheck()
                self.moves += 1
        self.choose(form.get_by_label(self["sort"], exact=True), "price")
        self.press("button", self["apply"], within=form)

    def further(self, known: int) -> None:
        """Load more results than the ``known`` number, on the next page or on this one."""
        results = self.page.get_by_role("region", name="Results")
        if self.paging == "pages":
            self.press("link", self["next"], within=results)
            return
        if self.paging == "more":
            self.press("link", self["more"], within=results)
        else:
            self.page.keyboard.press("End")
            self.moves += 1
        deadline = monotonic() + LOAD_LIMIT_S
        while len(results.locator(HOUSES).evaluate_all(ADDRESSES)) <= known and monotonic() < deadline:
            self.page.wait_for_timeout(POLL_MS)
        self.arrive()

    def house_open(self, name: str) -> None:
        self.search(house=name)
        self.press("link", name)

    def rooms(self, house: str, conditions: list[list[str]]) -> list[Offered]:
        """List the bookable rooms of a house, with the conditions that each misses."""
        self.goto(house)
        offers = self.page.locator("a[href*='/book/']").evaluate_all(ROOMS)
        terms = self.page.get_by_role("region", name=self["policy"], exact=True).inner_text()
        self.press("link", self["show_all"])
        shared = self.amenities(self["shared"])
        rooms = []
        for room, checkout, nights in offers:
            own = self.amenities(room)
            held = [self._holds(shared, own, terms, *condition) for condition in conditions]
            missed = tuple(index for index, is_met in enumerate(held) if not is_met)
            rooms.append(Offered(checkout, parse_cents(nights), missed))
        return rooms

    def _holds(self, shared: set[str], own: set[str], terms: str, kind: str, value: str) -> bool:
        called = amenity_names(self.town.edition).get(value)
        match kind:
            case "room_has":
                return called in own
            case "house_has":
                return called in shared
            case "without":
                return called not in own | shared
            case "cancel":
                return any(days <= int(value) for days in free_days(terms))
        return True

    def amenities(self, place: str) -> set[str]:
        """Return the amenities of the house or of a room; all amenities must be on the page."""
        region = self.page.get_by_role("region", name=re.compile(rf"^{re.escape(place)}( \(R-\d+\))?$"))
        return {amenity for line in region.locator("dd").all_inner_texts() for amenity in line.split(", ")}

    def listing_number(self) -> str:
        return str(re.findall(r"Listing (L-\d+)", self.page.get_by_role("main").inner_text())[0])

    def total(self, *, label: str = "total") -> int:
        """Return the total price of the offer on this page, in cents."""
        row = self.page.get_by_role("row", name=self[label]).inner_text()
        return parse_cents(row)

    def nights(self, room: Room, *, since: date, until: date) -> dict[date, str]:
        """Read the text of each night from ``since`` to ``until`` in the room's calendar, month by month."""
        self.press("link", self["calendar_of"].format(room.name))
        month, texts = self.town.first_day.replace(day=1), dict[date, str]()
        while True:
            cells = self.page.locator("td:is(.is-free, .is-full, .is-yours)").evaluate_all(CELLS)
            texts |= {month.replace(day=int(day)): text for day, text in cells}
            if month >= until.replace(day=1):
                return {day: text for day, text in texts.items() if since <= day <= until}
            self.page.get_by_role("navigation", name=self["months"]).get_by_role("link").last.click()
            self._moved()
            month = (month + timedelta(days=31)).replace(day=1)

    def book(self) -> str:
        """Fill in the checkout form, book, and return the confirmation code."""
        self.write(self.page.get_by_label(self["full_name"], exact=True), "Kim Doe")
        self.write(self.page.get_by_label(self["email"], exact=True), "kim@example.org")
        self.tick(self.page.get_by_label(self["agree"]))
        self.press("button", self["book_stay"])
        self.page.get_by_role("heading", name=self["booked_title"], exact=True).wait_for()
        return self.page.locator(f"dt:has-text('{self['code']}') + dd").inner_text()

    def bar_open(self) -> Locator:
        """Open the task bar, which is folded after the first page."""
        bar = self.page.get_by_role("region", name="Task")
        if not bar.get_by_role("button", name="Submit answer").is_visible():
            bar.locator("summary").click()
            self.moves += 1
        return bar

    def submit(self, values: tuple[str, ...], fields: tuple[str, ...]) -> None:
        bar = self.bar_open()
        for label, value in zip(fields, values, strict=True):
            self.write(bar.get_by_label(label, exact=True), value)
        bar.get_by_role("button", name="Submit answer").click()
        self.moves += 1
        self.page.get_by_role("heading", name="Answer recorded").wait_for()
