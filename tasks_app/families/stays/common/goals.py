"""Goals of tasks that require actions: the whole final state, except for parts that may differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tasks_app.families.stays.common import drafts
from tasks_app.worlds.digest import plain
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.quotes import cancelling_fee, quote
from tasks_app.worlds.stays.state import Event, fold
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

FREE = ("closed", "searches", "seen")
"""Parts of the state that a solution may leave in any condition."""


def build_goal(world: World, events: Iterable[Event]) -> dict[str, Any]:
    """Build a goal: ``state`` is the required final state without the parts that ``free`` names."""
    state = plain(fold(world, events))
    return {"state": {part: state[part] for part in state if part not in FREE}, "free": list(FREE)}


def booked(world: World, listing: Listing, room: Room, stay: Stay) -> Event:
    price = quote(world, listing, room, stay).total
    return "booked", {"listing": listing.id, "room": room.id, **drafts.stay_given(stay), "price": price}


def cancelled(world: World, trip: Trip) -> Event:
    return "cancelled", {"trip": trip.code, "fee": fee(world, trip)}


def fee(world: World, trip: Trip) -> int:
    """Return the fee for cancelling the trip on the first day."""
    return cancelling_fee(world, world.listing(trip.listing), trip, on=world.first_day)


def booked_otherwise(
    world: World, listing: Listing, room: Room, stay: Stay, *, after: Iterable[Event] = ()
) -> list[Event]:
    """List bookings that result from a mistake in the form: a day off, an extra night, a guest more or fewer.

    Only bookings that the pages allow ``after`` the events are listed.
    """
    state = fold(world, after)
    stays = (
        drafts.shift(stay, 1),
        drafts.shift(stay, -1),
        replace(stay, check_out=stay.check_out + timedelta(days=1)),
        replace(stay, guests=stay.guests + 1),
        replace(stay, guests=stay.guests - 1),
    )
    return [
        booked(world, listing, room, other)
        for other in stays
        if not booking_refusal(world, state, listing=listing, room=room, stay=other)
    ]


def new_trip(world: World, events: Iterable[Event]) -> Trip:
    return fold(world, events).trips[-1]


def upcoming(world: World) -> list[Trip]:
    return [trip for trip in world.trips if trip.status == "booked"]


def trip_text(world: World, trip: Trip) -> str:
    return f"{world.listing(trip.listing).name} ({drafts.stay_text(trip.stay)})"
