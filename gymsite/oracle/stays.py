"""Solves tasks of the booking site in any look, by reading its pages alone, with moves counted.

The world is asked for what a task's wording says of houses, rooms and trips; what they cost, have and allow
is read from pages.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from gymsite.oracle.stays_sieve import Sifting
from gymsite.oracle.stays_visitor import FULL, YOURS, Visitor, cents_of, free_days
from tasks_app.families.types import SiteTask
from tasks_app.worlds.stays.types import Trip
from tasks_app.worlds.stays.vocabulary import amenity_names


def answered(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _days(first: date, nights: int) -> dict[str, str]:
    return {"check_in": first.isoformat(), "check_out": (first + timedelta(days=nights)).isoformat()}


def _range(first: date, days: int) -> list[date]:
    return [first + timedelta(days=day) for day in range(days)]


def total_price(one: Visitor, task: SiteTask) -> tuple[str, str]:
    """Asks for each booking's price on the house's own page."""
    cents, legs = 0, task.given["legs"]
    one.house_open(one.room_of(legs[0]["room"])[0].name)
    number = one.listing_number()
    for place, leg in enumerate(legs):
        if place:
            one.press("link", one["back_to"].format(one.room_of(leg["room"])[0].name))
        one.opened(one["open_dates"])
        form = one.page.get_by_role("form", name=one["dates"], exact=True)
        one.stay_write(form, leg)
        one.press("button", one["show_prices"], within=form)
        one.press("link", one["book_room"].format(one.room_of(leg["room"])[1].name))
        cents += one.total()
    return answered(cents), number


def book_stay(one: Visitor, task: SiteTask) -> tuple[str, str]:
    """Opens the houses by rating, best first, and books the first room that meets every condition."""
    sifting = Sifting(one, task.given)
    sifting.search(sort="rating")
    for house, _ in one.houses_in_turn():
        for cents, _ in sifting.fitting(house):
            return answered(cents), one.book()
    return sifting.nearest()


def cheapest_with_without(one: Visitor, task: SiteTask) -> tuple[str, str]:
    sifting = Sifting(one, task.given)
    sifting.search()
    offers = [each for house in one.houses() for each in sifting.fitting(house)]
    if not offers:
        return sifting.nearest()
    cents, number = min(offers)
    return answered(cents), number


def missing_amenities(one: Visitor, task: SiteTask) -> tuple[str, str]:
    chosen = [one.room_of(number) for number in task.given["rooms"]]
    one.house_open(chosen[0][0].name)
    one.press("link", one["show_all"])
    had = {has for _, room in chosen for has in one.amenities(room.name)}
    candidates = (amenity_names(one.town.edition)[each] for each in task.given["asked"])
    return ", ".join(each for each in candidates if each not in had), chosen[0][1].id


def first_free_stretch(one: Visitor, task: SiteTask) -> tuple[str, str]:
    listing, room = one.room_of(task.given["room"])
    since, nights = date.fromisoformat(task.given["since"]), task.given["nights"]
    last = date.fromisoformat(task.answer[0]) + timedelta(days=nights - 1)
    one.house_open(listing.name)
    calendar = one.nights(room, since=since, until=last)
    first = next(day for day in calendar if all(calendar.get(each) != FULL for each in _range(day, nights)))
    return first.isoformat(), calendar[first]


def latest_free_cancellation(one: Visitor, task: SiteTask) -> tuple[str, str]:
    ends = []
    for stay in task.given["arrivals"]:
        one.house_open(next(house.name for house in one.town.listings if house.id == stay["listing"]))
        terms = one.page.get_by_role("region", name=one["policy"], exact=True).inner_text()
        arrival = date.fromisoformat(stay["check_in"])
        ends += [(arrival - timedelta(days=days), stay["listing"]) for days in free_days(terms)]
    last, number = max(ends)
    return last.isoformat(), number


def change_dates(one: Visitor, task: SiteTask) -> tuple[str, str]:
    code = task.given["trip"]
    one.press("link", one["nav_trips"])
    arrival = date.fromisoformat(task.given["first"])
    if task.given["how"] != "named":
        arrival = _arrival(one, task)
    else:
        one.press("link", one["change_of"].format(code))
    _ask(one, _days(arrival, one.trip(code).stay.nights))
    fee = one.page.get_by_role("main").get_by_text(one["change_fee"]).inner_text()
    cents = one.total(label="new_total") + cents_of(fee)
    one.press("button", one["change_now"])
    return answered(cents), code


def _ask(one: Visitor, days: dict[str, str]) -> None:
    """Show what a trip would cost on other days, unless it is shown already."""
    form = one.page.get_by_role("form", name=one["new_dates"], exact=True)
    before = one.moves
    one.days_write(form, days)
    if one.moves > before:
        one.press("button", one["show_new_price"])


def _arrival(one: Visitor, task: SiteTask) -> date:
    """The arrival by the task's rule, from the room's calendar; ends on the page where dates are changed.

    The calendar gives no prices of the trip's own nights; they are requested separately.
    """
    trip = one.trip(task.given["trip"])
    nights, first = trip.stay.nights, date.fromisoformat(task.given["first"])
    last = task.given["width"] - 1 if task.given["how"] == "cheapest" else _until(one, task, first)
    one.page.locator(f"a[href$='trips/{trip.code}']").click()
    one._moved()
    one.press("link", one["about_house"])
    calendar = one.nights(
        one.room_of(trip.room)[1], since=first, until=first + timedelta(days=last + nights - 1)
    )
    one.press("link", one["nav_trips"])
    one.press("link", one["change_of"].format(trip.code))
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
            _ask(one, _days(day, nights))
            costs[day] = one.total(label="new_total")
    return min(costs, key=lambda day: costs[day]) if costs else best or first


def _until(one: Visitor, task: SiteTask, first: date) -> int:
    """Days from ``first`` to the arrival in the goal state."""
    after = next(each for each in (task.goal or {})["state"]["trips"] if each["code"] == task.given["trip"])
    return (date.fromisoformat(after["check_in"]) - first).days


def cancel_and_rebook(one: Visitor, task: SiteTask) -> tuple[str, str]:
    fees, codes = {}, task.given["trips"]
    one.press("link", one["nav_trips"])
    for code in codes:
        one.press("link", one["cancel_of"].format(code))
        text = one.page.get_by_text(one["cancel_fee"]).inner_text()
        fees[code] = cents_of(text)
        if len(codes) > 1:
            one.press("link", one["keep"])
    code = min(fees, key=lambda each: fees[each])
    if len(codes) > 1:
        one.press("link", one["cancel_of"].format(code))
    one.press("button", one["cancel_now"])
    return answered(fees[code]), _rebook(one, one.trip(code), task.given["rooms"])


def _rebook(one: Visitor, trip: Trip, rooms: list[str]) -> str:
    """Book the first room that is available for the nights of the trip; returns the confirmation code."""
    stay = {"check_in": str(trip.check_in), "check_out": str(trip.check_out), "guests": trip.guests}
    for number in rooms:
        listing, room = one.room_of(number)
        one.search(stay, house=listing.name)
        if not one.page.get_by_role("link", name=listing.name, exact=True).count():
            continue
        one.press("link", listing.name)
        book = one["book_room"].format(room.name)
        if one.page.get_by_role("link", name=book, exact=True).count():
            one.press("link", book)
            return one.book()
        one.back()
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
