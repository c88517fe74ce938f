"""Forty amenities in eight groups: thirty that every edition has, ten of each edition's own."""

from __future__ import annotations

from functools import cache

from tasks_app.worlds.editions import Edition, toml_load
from tasks_app.worlds.stays.types import Amenity
from tasks_app.worlds.stays.vocabulary import DATA

_ROWS = toml_load(DATA / "amenities.toml", dict[str, tuple[Amenity, ...]])


@cache
def amenities(edition: Edition) -> tuple[Amenity, ...]:
    return (*_ROWS["shared"], *_ROWS[edition])


@cache
def names(edition: Edition) -> dict[str, str]:
    """Amenities' names by id."""
    return {amenity.id: amenity.name for amenity in amenities(edition)}


@cache
def house_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "room")


@cache
def room_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "house")
