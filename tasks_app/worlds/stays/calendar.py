"""Which nights are free and what a night costs: arithmetic on the world's facts, in whole cents."""

from __future__ import annotations

from datetime import date, timedelta

from tasks_app.worlds.stays.types import NIGHTS, Listing, Room, World

FRIDAY, SATURDAY = 4, 5
_HUNDREDTHS = 1_000_000
"""Three factors in percent."""


def night_price(world: World, listing: Listing, room: Room, day: date) -> int:
    """The price of one night: the room's basic one by season, weekend and a jitter of its own."""
    night = (day - world.first_day).days
    season = world.town.seasons[day.month - 1]
    weekend = 100 + listing.weekend_percent if day.weekday() in (FRIDAY, SATURDAY) else 100
    jitter = 100 + world.jitter[(room.offset + night) % len(world.jitter)]
    return (room.base_cents * season * weekend * jitter + _HUNDREDTHS // 2) // _HUNDREDTHS


def taken(room: Room) -> int:
    """The nights that other guests have, bit 0 for the first day."""
    return int.from_bytes(room.taken, "little")


def nights_mask(world: World, check_in: date, check_out: date) -> int:
    """The nights of a stay as bits; nights before the first day are left out."""
    first = max((check_in - world.first_day).days, 0)
    last = max((check_out - world.first_day).days, first)
    return (1 << last) - (1 << first)


def is_free(world: World, room: Room, check_in: date, check_out: date) -> bool:
    """Whether no other guest has one of the nights; of the traveller's own trips the state knows."""
    return not taken(room) & nights_mask(world, check_in, check_out)


def is_in_calendar(world: World, check_in: date, check_out: date) -> bool:
    return world.first_day <= check_in < check_out <= last_day(world)


def last_day(world: World) -> date:
    """The last day on which a stay may end."""
    return world.first_day + timedelta(days=NIGHTS)


def first_free(room: Room, *, nights: int, since: int = 0) -> int | None:
    """The first night, counted from the first day, from which so many in a row are free."""
    free = ~taken(room) & ((1 << NIGHTS) - 1)
    for step in range(1, nights):
        free &= ~(taken(room) >> step) & ((1 << (NIGHTS - step)) - 1)
    free = free >> since << since
    return (free & -free).bit_length() - 1 if free else None
