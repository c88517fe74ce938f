"""Solver of the booking site's tasks in any look, which reads only its pages and counts moves.

From the world it takes only what a task's wording says about houses, rooms and trips. Their prices, amenities
and policies are read from pages.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from gymsite.oracle.stays_sieve import Sifting
from gymsite.oracle.stays_visitor import FULL, YOURS, Visitor, free_days, parse_cents
from tasks_app.families.types import SiteTask
from tasks_app.worlds.stays.types import Trip
from tasks_app.worlds.stays.vocabulary import amenity_names


def format_euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _days(first: date, nights: int) -> dict[str, str]:
    return {"check_in": first.isoformat(), "check_out": (first + timedelta(days=nights)).isoformat()}


def _range(first: date, days: int) -> list[date]:
    return [first + timedelta(days=day) for day in range(days)]


def total_price(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    """Look up each booking's price on the house's own page, and add the prices up."""
    cents, legs = 0, task.given["legs"]
    visitor.house_open(visitor.room_of(legs[0]["room"])[0].name)
    number = visitor.listing_number()
    for place, leg in enumerate(legs):
        if place:
            visitor.press("link", visitor["back_to"].format(visitor.room_of(leg["room"])[0].name))
        visitor.opened(visitor["open_dates"])
        form = visitor.page.get_by_role("form", name=visitor["dates"], exact=True)
        visitor.stay_write(form, leg)
        visitor.press("button", visitor["show_prices"], within=form)
        visitor.press("link", visitor["book_room"].format(visitor.room_of(leg["room"])[1].name))
        cents += visitor.total()
    return format_euros(cents), number


def book_stay(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    """Open the houses by rating, best first, and book the first room that meets every condition."""
    sifting = Sifting(visitor, task.given)
    sifting.search(sort="rating")
    for house, _ in visitor.houses_in_turn():
        for cents, _ in sifting.fitting(house):
            return format_euros(cents), visitor.book()
    return sifting.nearest()


def cheapest_with_without(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    sifting = Sifting(visitor, task.given)
    sifting.search()
    offers = [each for house in visitor.houses() for each in sifting.fitting(house)]
    if not offers:
        return sifting.nearest()
    cents, number = min(offers)
    return format_euros(cents), number


def missing_amenities(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    chosen = [visitor.room_of(number) for number in task.given["rooms"]]
    visitor.house_open(chosen[0][0].name)
    visitor.press("link", visitor["show_all"])
    had = {has for _, room in chosen for has in visitor.amenities(room.name)}
    candidates = (amenity_names(visitor.town.edition)[each] for each in task.given["asked"])
    return ", ".join(each for each in candidates if each not in had), chosen[0][1].id


def first_free_stretch(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    listing, room = visitor.room_of(task.given["room"])
    since, nights = date.fromisoformat(task.given["since"]), task.given["nights"]
    last = date.fromisoformat(task.answer[0]) + timedelta(days=nights - 1)
    visitor.house_open(listing.name)
    calendar = visitor.nights(room, since=since, until=last)
    first = next(day for day in calendar if all(calendar.get(each) != FULL for each in _range(day, nights)))
    return first.isoformat(), calendar[first]


def latest_free_cancellation(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    ends = []
    for stay in task.given["arrivals"]:
        visitor.house_open(next(house.name for house in visitor.town.listings if house.id == stay["listing"]))
        terms = visitor.page.get_by_role("region", name=visitor["policy"], exact=True).inner_text()
        arrival = date.fromisoformat(stay["check_in"])
        ends += [(arrival - timedelta(days=days), stay["listing"]) for days in free_days(terms)]
    last, number = max(ends)
    return last.isoformat(), number


def change_dates(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    code = task.given["trip"]
    visitor.press("link", visitor["nav_trips"])
    arrival = date.fromisoformat(task.given["first"])
    if task.given["how"] != "named":
        arrival = _arrival(visitor, task)
    else:
        visitor.press("link", visitor["change_of"].format(code))
    _ask(visitor, _days(arrival, visitor.trip(code).stay.nights))
    fee = visitor.page.get_by_role("main").get_by_text(visitor["change_fee"]).inner_text()
    cents = visitor.total(label="new_total") + parse_cents(fee)
    visitor.press("button", visitor["change_now"])
    return format_euros(cents), code


def _ask(visitor: Visitor, days: dict[str, str]) -> None:
    """Request the price of a trip on other days, unless it is already shown."""
    form = visitor.page.get_by_role("form", name=visitor["new_dates"], exact=True)
    before = visitor.moves
    visitor.days_write(form, days)
    if visitor.moves > before:
        visitor.press("button", visitor["show_new_price"])


def _arrival(visitor: Visitor, task: SiteTask) -> date:
    """Find the arrival in the room's calendar by the task's rule, and end on the page that changes dates.

    The calendar has no prices for the trip's own nights, so those are requested separately.
    """
    trip = visitor.trip(task.given["trip"])
    nights, first = trip.stay.nights, date.fromisoformat(task.given["first"])
    last = task.given["width"] - 1 if task.given["how"] == "cheapest" else _until(visitor, task, first)
    visitor.page.locator(f"a[href$='trips/{trip.code}']").click()
    visitor._moved()
    visitor.press("link", visitor["about_house"])
    calendar = visitor.nights(
        visitor.room_of(trip.room)[1], since=first, until=first + timedelta(days=last + nights - 1)
    )
    visitor.press("link", visitor["nav_trips"])
    visitor.press("link", visitor["change_of"].format(trip.code))
    own = set(trip.stay.days)
    open_days = {day for day, text in calendar.items() if text != FULL and (text != YOURS or day in own)}
    arrivals = [day for day in _range(first, last + 1) if {*_range(day, nights)} <= open_days]
    arrivals = [day for day in arrivals if day != trip.check_in]
    if task.given["how"] == "first":
        return arrivals[0]
    sums = {}
    for day in arrivals:
        prices = [calendar[each] for each in _range(day, nights)]
        if YOURS not in prices:
            sums[day] = sum(float(price) for price in prices)
    best = min(sums, key=lambda day: sums[day]) if sums else None
    costs = {}
    for day in [*([best] if best else []), *(day for day in arrivals if day not in sums)]:
        if len(sums) < len(arrivals):
            _ask(visitor, _days(day, nights))
            costs[day] = visitor.total(label="new_total")
    return min(costs, key=lambda day: costs[day]) if costs else best or first


def _until(visitor: Visitor, task: SiteTask, first: date) -> int:
    """Return the number of days from ``first`` to the arrival in the goal state."""
    after = next(each for each in (task.goal or {})["state"]["trips"] if each["code"] == task.given["trip"])
    return (date.fromisoformat(after["check_in"]) - first).days


def cancel_and_rebook(visitor: Visitor, task: SiteTask) -> tuple[str, str]:
    fees, codes = {}, task.given["trips"]
    visitor.press("link", visitor["nav_trips"])
    for code in codes:
        visitor.press("link", visitor["cancel_of"].format(code))
        text = visitor.page.get_by_text(visitor["cancel_fee"]).inner_text()
        fees[code] = parse_cents(text)
        if len(codes) > 1:
            visitor.press("link", visitor["keep"])
    code = min(fees, key=lambda each: fees[each])
    if len(codes) > 1:
        visitor.press("link", visitor["cancel_of"].format(code))
    visitor.press("button", visitor["cancel_now"])
    return format_euros(fees[code]), _rebook(visitor, visitor.trip(code), task.given["rooms"])


def _rebook(visitor: Visitor, trip: Trip, rooms: list[str]) -> str:
    """Book the first room that is available for the trip's nights, and return the confirmation code."""
    stay = {"check_in": str(trip.check_in), "check_out": str(trip.check_out), "guests": trip.guests}
    for number in rooms:
        listing, room = visitor.room_of(number)
        visitor.search(stay, house=listing.name)
        if not visitor.page.get_by_role("link", name=listing.name, exact=True).count():
            continue
        visitor.press("link", listing.name)
        book = visitor["book_room"].format(room.name)
        if visitor.page.get_by_role("link", name=book, exact=True).count():
            visitor.press("link", book)
            return visitor.book()
        visitor.back()
    raise AssertionError("all the rooms are full")


SOLVERS: dict[str, Callable[[Visitor, SiteTask], tuple[str, str]]] = {
    solver.__name__: solver
    for solver in (
        total_price,
        book_stay,
        cheapest_with_without,
        missing_amenities,
        first_free_stretch,
        latest_free_cancellation,
        change_dates,
        cancel_and_rebook,
    )
}
