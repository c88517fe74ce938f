"""Changes to a world, given as plain data that a task can carry."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tasks_app.worlds.stays.calendar import taken
from tasks_app.worlds.stays.types import Listing, Room, World


def world_change(world: World, changes: Iterable[Mapping[str, Any]]) -> World:
    """Apply changes to a world in order; without changes, the same world is returned.

    A change is ``{"change": "room_loses", "room": "R-1234", "amenity": "kettle"}``. Raises ``KeyError`` for
    another kind.
    """
    for change in changes:
        world = _CHANGES[change["change"]](world, change)
    return world


def nights_freed(world: World, nights: Mapping[str, int]) -> World:
    """Free nights that other guests occupy; ``nights`` maps rooms to bit masks."""

    def freed(room: Room) -> Room:
        left = taken(room) & ~nights[room.id]
        return replace(room, taken=left.to_bytes(len(room.taken), "little"))

    return _change_rooms(world, nights, freed)


def _change_rooms(world: World, rooms: Container[str], change: Callable[[Room], Room]) -> World:
    def listing_in(listing: Listing) -> Listing:
        if not any(room.id in rooms for room in listing.rooms):
            return listing
        rooms_after = (change(room) if room.id in rooms else room for room in listing.rooms)
        return replace(listing, rooms=tuple(rooms_after))

    return replace(world, listings=tuple(map(listing_in, world.listings)))


def _room_loses(world: World, change: Mapping[str, Any]) -> World:
    def without(room: Room) -> Room:
        return replace(
            room, amenities=tuple(amenity for amenity in room.amenities if amenity != change["amenity"])
        )

    return _change_rooms(world, {change["room"]}, without)


_CHANGES = {"room_loses": _room_loses}
