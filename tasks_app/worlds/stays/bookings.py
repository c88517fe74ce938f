"""Conditions for booking a stay and for changing or cancelling a trip. Pages and judges share these rules."""

from __future__ import annotations

from datetime import date
from typing import Literal

from tasks_app.worlds.stays.calendar import is_free, is_in_calendar
from tasks_app.worlds.stays.quotes import can_change
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

Refusal = Literal[
    "",
    "dates",
    "too_many_guests",
    "too_few_nights",
    "not_free",
    "no_such_trip",
    "too_late",
    "other_room",
    "same_dates",
]
"""The reason for a refusal, or empty if nothing speaks against it."""


def find_listing(world: World, listing_id: str) -> Listing | None:
    return next((listing for listing in world.listings if listing.id == listing_id), None)


def find_room(listing: Listing, room_id: str) -> Room | None:
    return next((room for room in listing.rooms if room.id == room_id), None)


def booking_refusal(
    world: World, state: State, *, listing: Listing, room: Room, stay: Stay, but: str = ""
) -> Refusal:
    """Return why the stay cannot be booked. ``but`` is the code of a trip whose nights do not count."""
    if not is_in_calendar(world, stay.check_in, stay.check_out):
        return "dates"
    if not 1 <= stay.guests <= room.sleeps:
        return "too_many_guests"
    if stay.nights < listing.rules.min_nights:
        return "too_few_nights"
    if not is_free(world, room, stay.check_in, stay.check_out) or own_trip(state, room, stay, but=but):
        return "not_free"
    return ""


def own_trip(state: State, room: Room, stay: Stay, *, but: str = "") -> Trip | None:
    """Return the visitor's own trip, other than ``but``, that occupies the room during the stay."""
    others = (trip for trip in state.trips if trip.status == "booked" and trip.code != but)
    return next((trip for trip in others if trip.room == room.id and trip.stay.overlaps(stay)), None)


def change_refusal(
    world: World, state: State, *, listing: Listing, room: Room, trip: Trip, stay: Stay, on: date
) -> Refusal:
    """Return why the trip's dates cannot be changed on a day; the trip keeps its room and guests."""
    if trip.status != "booked":
        return "no_such_trip"
    if room.id != trip.room or stay.guests != trip.guests:
        return "other_room"
    if not can_change(listing.policy, check_in=trip.check_in, on=on):
        return "too_late"
    if stay == trip.stay:
        return "same_dates"
    return booking_refusal(world, state, listing=listing, room=room, stay=stay, but=trip.code)


def cancel_refusal(trip: Trip, *, on: date) -> Refusal:
    if trip.status != "booked":
        return "no_such_trip"
    return "too_late" if on >= trip.check_in else ""
