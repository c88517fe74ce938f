"""Scopes of booking tasks, which are the parts of the site that a wording is about.

A scope names houses by name and neighbourhood, or neighbourhoods, together with the stays or the day in the
wording. It is public and therefore contains no listing or room numbers, since tasks ask for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, TypeAlias

from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import NIGHTS, Listing, Stay, World

Scope: TypeAlias = Mapping[str, Any]
BESIDE = 2
"""Number of nights before and after the stay that search results show in their calendars."""


def build_scope(world: World, given: Mapping[str, Any]) -> dict[str, Any]:
    if "places" in given:
        return {"places": list(given["places"]), "guests": given["guests"], "stays": _read_stays([given])}
    if "legs" in given:
        rooms = {leg["room"] for leg in given["legs"]}
        return {"houses": _list_named(world, rooms), "stays": _read_stays(given["legs"])}
    if "arrivals" in given:
        numbers = {stay["listing"] for stay in given["arrivals"]}
        return {"houses": _list_named(world, numbers), "stays": _read_stays(given["arrivals"])}
    if "since" in given:
        return {"houses": _list_named(world, {given["room"]}), "since": given["since"]}
    return {"houses": _list_named(world, {given["listing"]}), "stays": []}


def listings_in(world: World, scope: Scope | None) -> list[Listing]:
    """List the houses that the site's search returns for a scope's places and stay, or for its names."""
    if scope is None:
        return list(world.listings)
    if "places" in scope:
        places = set(scope["places"])
        inside = [listing for listing in world.listings if listing.neighbourhood in places]
        state = State(trips=world.trips)
        days = [[date.fromisoformat(day) for day in stay] for stay in scope["stays"]]
        stays = [Stay(check_in=first, check_out=end, guests=scope["guests"]) for first, end in days]
        return [
            listing
            for listing in inside
            if any(
                not booking_refusal(world, state, listing=listing, room=room, stay=stay)
                for stay in stays
                for room in listing.rooms
            )
        ]
    names = tuple(name for name, _ in scope["houses"])
    beginnings = {name[:length] for name in names for length in range(1, len(name) + 1)}
    return [
        listing for listing in world.listings if listing.name in beginnings or listing.name.startswith(names)
    ]


def _list_named(world: World, numbers: set[str]) -> list[list[str]]:
    """Return name and neighbourhood of the houses with one of the numbers, their own or a room's."""
    return [
        [listing.name, listing.neighbourhood]
        for listing in world.listings
        if listing.id in numbers or not numbers.isdisjoint([room.id for room in listing.rooms])
    ]


def _read_stays(stays: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Return the days of arrival and departure; without a stated departure, both are the day of arrival."""
    days = {(stay["check_in"], stay.get("check_out", stay["check_in"])) for stay in stays}
    return [list(stay) for stay in sorted(days)]


def spans_in(world: World, scope: Scope | None) -> list[range]:
    """Return the nights that calendars show, counted from the first day, as a range per month.

    Without a scope, these are all nights. Otherwise they are the nights from the month of a given day on,
    whole months as on the pages of the scope's houses, or, if houses are searched for, the nights of the stay
    and a few around it.
    """
    spans_in_scope = _list_nights(world, scope)
    spans = (_within(month, spans_in_scope) for month in _months(world.first_day))
    return [span for span in spans if span]


def _within(month: range, spans_in_scope: Sequence[range]) -> range:
    """Return the nights of a month from the first to the last one in scope."""
    parts = [_common(month, span) for span in spans_in_scope]
    starts, stops = [part.start for part in parts if part], [part.stop for part in parts if part]
    return range(min(starts, default=0), max(stops, default=0))


def _common(first: range, other: range) -> range:
    return range(max(first.start, other.start), min(first.stop, other.stop))


def _list_nights(world: World, scope: Scope | None) -> list[range]:
    """Return the ranges of nights that a scope is about."""
    if scope is None:
        return [range(NIGHTS)]
    if "since" in scope:
        return [range(_night(world, scope["since"][:8] + "01"), NIGHTS)]
    stays = [(_night(world, first), _night(world, end)) for first, end in scope["stays"]]
    if "places" in scope:
        return [range(first - BESIDE, end + BESIDE) for first, end in stays]
    nights = [range(first, max(end, first + 1)) for first, end in stays]
    return [month for month in _months(world.first_day) if any(_common(month, span) for span in nights)]


def _night(world: World, day: str) -> int:
    return (date.fromisoformat(day) - world.first_day).days


# Every scope of a world needs the months, and there are a thousand possible first days.
@lru_cache(maxsize=1024)
def _months(first_day: date) -> tuple[range, ...]:
    starts = [night for night in range(1, NIGHTS) if (first_day + timedelta(days=night)).day == 1]
    return tuple(map(range, (0, *starts), (*starts, NIGHTS)))
