"""Common code for drawing the booking site's tasks: wording, stays, offers and needs.

The names of a task's needs are

- ``trips``;
- ``listing/L-1/about`` (description and first amenities);
- ``listing/L-1/fees`` (including the town's tax);
- ``listing/L-1/policy``;
- ``listing/L-1/room/R-1/amenities``;
- ``listing/L-1/rate/2027-03-04/2027-03-07`` for a stay (average price per night of the cheapest free room);
- ``listing/L-1/room/R-1/price/2027-03-04/2027-03-07`` for nights (see ``worlds/evidence.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from core.draws import Draws
from tasks_app.worlds.formats import day_text
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.calendar import nights_mask, taken
from tasks_app.worlds.stays.quotes import costs
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import NIGHTS, Listing, Room, Stay, World


@dataclass(frozen=True, slots=True)
class Offer:
    """A room that can be booked for a stay, with its total price."""

    listing: Listing
    room: Room
    total: int
    nights: int
    """Price of the nights alone, before extra guests, fees and tax."""


def stay_text(stay: Stay) -> str:
    return f"from {day_text(stay.check_in)} to {day_text(stay.check_out)}"


def offers_anywhere(listing: Listing, amenity: str) -> bool:
    """Return whether the house or one of its rooms has the amenity, as the search's filter does."""
    return amenity in listing.amenities or any(amenity in room.amenities for room in listing.rooms)


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Join names as in ``a``, ``a and b`` and ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# Tasks are drawn from one world after another, so the caches keep only a few. No page is served from them.
@lru_cache(maxsize=8)
def pairs(world: World) -> tuple[tuple[Listing, Room], ...]:
    return tuple((listing, room) for listing in world.listings for room in listing.rooms)


@lru_cache(maxsize=8)
def lodgings(world: World) -> tuple[tuple[Listing, Room, int], ...]:
    """List every room with a bit mask of the nights taken by other guests or the traveller's own trips."""
    own = dict.fromkeys((trip.room for trip in world.trips), 0)
    for trip in world.trips:
        if trip.status == "booked":
            own[trip.room] |= nights_mask(world, trip.check_in, trip.check_out)
    return tuple((listing, room, taken(room) | own.get(room.id, 0)) for listing, room in pairs(world))


def stay_draw(
    world: World, draws: Draws, *, nights: tuple[int, int], guests: int, lead: tuple[int, int] = (4, 240)
) -> Stay:
    check_in = world.first_day + timedelta(days=draws.whole(*lead))
    return Stay(check_in=check_in, check_out=check_in + timedelta(days=draws.whole(*nights)), guests=guests)


def can_book(world: World, listing: Listing, room: Room, stay: Stay) -> bool:
    return not booking_refusal(world, State(trips=world.trips), listing=listing, room=room, stay=stay)


# Cached because a task with several rooms, and its twin, need the same stay again.
@lru_cache(maxsize=8)
def bookable(world: World, stay: Stay) -> tuple[tuple[Listing, Room], ...]:
    """List every room that ``can_book`` allows, but faster."""
    if (stay.check_out - world.first_day).days > NIGHTS:
        return ()
    nights, guests, count = nights_mask(world, stay.check_in, stay.check_out), stay.guests, stay.nights
    return tuple(
        (listing, room)
        for listing, room, occupied in lodgings(world)
        if not occupied & nights and room.sleeps >= guests and listing.rules.min_nights <= count
    )


@lru_cache(maxsize=8)
def offers(world: World, stay: Stay, places: tuple[str, ...]) -> tuple[Offer, ...]:
    """List every room in the neighbourhoods that can be booked for the stay, cheapest first."""
    priced = []
    for listing, room in bookable(world, stay):
        if listing.neighbourhood in places:
            price = costs(world, listing, room, stay)
            priced.append(Offer(listing, room, sum(price), price.nights))
    return tuple(sorted(priced, key=lambda offer: (offer.total, offer.room.id)))


def stay_given(stay: Stay) -> dict[str, Any]:
    given: dict[str, Any] = msgspec.to_builtins(stay)
    return given


def parse_stay(given: Mapping[str, Any]) -> Stay:
    return msgspec.convert(given, Stay)


def shift(stay: Stay, days: int) -> Stay:
    step = timedelta(days=days)
    return Stay(check_in=stay.check_in + step, check_out=stay.check_out + step, guests=stay.guests)


def room_numbered(world: World, room_id: str) -> tuple[Listing, Room]:
    return next((listing, room) for listing, room in pairs(world) if room.id == room_id)


def price_need(listing: Listing, room: Room, first: date, last: date) -> str:
    """Name the price of the nights from the first day to the last, before fees."""
    return f"{_room(listing, room)}/price/{first}/{last}"


def fees_need(listing: Listing) -> str:
    return f"listing/{listing.id}/fees"


def full_needs(listing: Listing, room: Room, starts: Iterable[date], *, nights: int) -> tuple[str, ...]:
    """Name the facts that show that no run of ``nights`` nights is free from any of the starts.

    ``starts`` must be in ascending order.
    """
    runs: list[tuple[date, date]] = []
    for start in starts:
        first = runs.pop()[0] if runs and runs[-1][1] == start else start
        runs.append((first, start + timedelta(days=1)))
    return tuple(f"{_room(listing, room)}/none_free/{first}/{last}/{nights}" for first, last in runs)


def _room(listing: Listing, room: Room) -> str:
    return f"listing/{listing.id}/room/{room.id}"
