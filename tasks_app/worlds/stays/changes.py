"""Worlds that differ from the one of their key in a fact, given as plain data that a task can carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from tasks_app.worlds.stays.calendar import nights_mask, taken
from tasks_app.worlds.stays.types import Listing, Room, World


def world_change(world: World, changes: Iterable[Mapping[str, Any]]) -> World:
    """The world with the changes made, in order; none give the world itself.

    - ``{"change": "room_loses", "room": "R-1234", "amenity": "kettle"}``
    - ``{"change": "room_gains", "room": "R-1234", "amenity": "kettle"}``
    - ``{"change": "house_loses", "listing": "L-1234", "amenity": "sauna"}``
    - ``{"change": "night_taken", "room": "R-1234", "night": "2027-03-01"}``

    ``KeyError`` for another change.
    """
    for change in changes:
        world = _CHANGES[change["change"]](world, change)
    return world


def room_replaced(world: World, room_id: str, **facts: Any) -> World:
    """The world with other facts of one room."""

    def room_in(room: Room) -> Room:
        return replace(room, **facts) if room.id == room_id else room

    def listing_in(listing: Listing) -> Listing:
        if all(room.id != room_id for room in listing.rooms):
            return listing
        return replace(listing, rooms=tuple(map(room_in, listing.rooms)))

    return replace(world, listings=tuple(map(listing_in, world.listings)))


def nights_freed(world: World, room_id: str, nights: int) -> World:
    """The world in which other guests have none of these nights (bits) of a room."""
    return _with_taken(world, room_id, taken(_room(world, room_id)) & ~nights)


def _with_taken(world: World, room_id: str, nights: int) -> World:
    return room_replaced(world, room_id, taken=nights.to_bytes(len(_room(world, room_id).taken), "little"))


def _room(world: World, room_id: str) -> Room:
    return next(room for listing in world.listings for room in listing.rooms if room.id == room_id)


def _room_loses(world: World, change: Mapping[str, Any]) -> World:
    kept = tuple(one for one in _room(world, change["room"]).amenities if one != change["amenity"])
    return room_replaced(world, change["room"], amenities=kept)


def _room_gains(world: World, change: Mapping[str, Any]) -> World:
    has = {*_room(world, change["room"]).amenities, change["amenity"]}
    ordered = tuple(amenity.id for amenity in world.amenities if amenity.id in has)
    return room_replaced(world, change["room"], amenities=ordered)


def _house_loses(world: World, change: Mapping[str, Any]) -> World:
    def listing_in(listing: Listing) -> Listing:
        if listing.id != change["listing"]:
            return listing
        kept = tuple(one for one in listing.amenities if one != change["amenity"])
        return replace(listing, amenities=kept)

    return replace(world, listings=tuple(map(listing_in, world.listings)))


def _night_taken(world: World, change: Mapping[str, Any]) -> World:
    room = _room(world, change["room"])
    night = date.fromisoformat(change["night"])
    mask = nights_mask(world, night, night + timedelta(days=1))
    return _with_taken(world, room.id, taken(room) | mask)


_CHANGES = {
    "room_loses": _room_loses,
    "room_gains": _room_gains,
    "house_loses": _house_loses,
    "night_taken": _night_taken,
}
