"""Free nights and prices of nights, computed from the world's facts in whole cents."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

from tasks_app.worlds.stays.types import NIGHTS, Listing, Room, World

FRIDAY, SATURDAY = 4, 5
_HUNDREDTHS = 1_000_000
"""Divisor for the product of three percentages."""


def night_price(world: World, listing: Listing, room: Room, day: date) -> int:
    """Return a night's price: the room's base price adjusted for season and weekend, with some jitter."""
    return night_prices(world, listing, room, day, nights=1)[0]


def night_prices(world: World, listing: Listing, room: Room, first: date, *, nights: int) -> list[int]:
    """Return the prices of consecutive nights."""
    seasons, jitter, base = world.town.seasons, world.jitter, room.base_cents
    share = (100, 100 + listing.weekend_percent)
    turn = room.offset + (first - world.first_day).days
    return [
        _cents(base, seasons[month], share[is_weekend], jitter[(turn + night) % len(jitter)])
        for night, month, is_weekend in _nights(first, nights)
    ]


def _cents(base: int, season: int, weekend: int, jitter: int) -> int:
    return (base * season * weekend * (100 + jitter) + _HUNDREDTHS // 2) // _HUNDREDTHS


# Consecutive requests for a town's rooms ask for the same nights.
@lru_cache(maxsize=256)
def _nights(first: date, nights: int) -> tuple[tuple[int, int, bool], ...]:
    """Return each night's index, its month's index, and whether it is a weekend night.

    Both indexes start at 0.
    """
    days = [(night, first + timedelta(days=night)) for night in range(nights)]
    return tuple((night, day.month - 1, day.weekday() in (FRIDAY, SATURDAY)) for night, day in days)


def taken(room: Room) -> int:
    """Return a bit mask of the nights that other guests have; bit 0 is the night of the first day."""
    return int.from_bytes(room.taken, "little")


def nights_mask(world: World, check_in: date, check_out: date) -> int:
    """Return a bit mask of a stay's nights, without nights before the first day."""
    first = max((check_in - world.first_day).days, 0)
    last = max((check_out - world.first_day).days, first)
    return (1 << last) - (1 << first)


def is_free(world: World, room: Room, check_in: date, check_out: date) -> bool:
    """Return whether no other guest has any of the nights; the traveller's own trips are in the state."""
    return not taken(room) & nights_mask(world, check_in, check_out)


def is_in_calendar(world: World, check_in: date, check_out: date) -> bool:
    return world.first_day <= check_in < check_out <= last_day(world)


def last_day(world: World) -> date:
    """Return the last possible day of departure."""
    return world.first_day + timedelta(days=NIGHTS)


def first_free(room: Room, *, nights: int, since: int = 0) -> int | None:
    """Find the first night, counted from the first day, from which ``nights`` in a row are free."""
    all_free = ~taken(room) & ((1 << NIGHTS) - 1)
    free = all_free
    for step in range(1, nights):
        free &= all_free >> step
    free = free >> since << since
    return (free & -free).bit_length() - 1 if free else None
