"""Words of the booking site, loaded from its data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from core.text.toml import toml_load
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.stays.types import Amenity

DATA = Path(__file__).parent / "data"
Mood = Literal["good", "bad", "story"]
"""A guest's mood. A story is an anecdote that is neither good nor bad."""
Topic = tuple[str, Mood]
"""An aspect of a stay and a guest's opinion of it."""


@dataclass(frozen=True, slots=True)
class Names:
    towns: tuple[tuple[str, str], ...]
    intros: tuple[str, ...]
    neighbourhoods: tuple[str, ...]
    streets: tuple[str, ...]
    epithets: tuple[str, ...]
    emblems: tuple[str, ...]
    families: tuple[str, ...]
    first_names: tuple[str, ...]
    homes: tuple[str, ...]
    annexes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A property type. Its rooms are pairs of a name and a capacity."""

    name: str
    weight: int
    amenity_chance: float
    rooms: tuple[tuple[str, int], ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rooms:
    kinds: tuple[Kind, ...]
    name_turns: tuple[str, ...]
    pets: tuple[str, ...]
    smoking: tuple[str, ...]
    beds: Mapping[str, tuple[str, ...]]
    """Beds of a room, by capacity."""
    beds_by_room: Mapping[str, tuple[str, ...]]
    """Beds of rooms whose names determine them."""
    impossible_turns: Mapping[str, frozenset[str]]
    """Maps a room's name to the name patterns that do not go with it."""
    impossible_amenities: Mapping[str, str]
    """Maps an amenity to the part of a room's name that excludes it."""
    impossible_rooms: Mapping[str, tuple[str, ...]]
    """Maps a word in a house's name to the rooms that such a house does not have."""


@dataclass(frozen=True, slots=True)
class Descriptions:
    openings: tuple[str, ...]
    places: tuple[str, ...]
    houses: tuple[str, ...]
    details: tuple[str, ...]
    closings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuestReviews:
    titles: Mapping[Mood, tuple[str, ...]]
    sentences: Mapping[str, Mapping[Mood, tuple[str, ...]]]
    replies: Mapping[str, Mapping[Mood, tuple[str, ...]]]
    """Replies by aspect and by the guest's mood; ``any`` is used if nothing else fits."""
    contradicts: Mapping[str, tuple[Topic, ...]]
    """Topics that contradict a sentence, by words that it contains."""


@dataclass(frozen=True, slots=True)
class Slots:
    months: tuple[tuple[str, ...], ...]
    slots: Mapping[str, tuple[str, ...]]


NAMES: dict[Edition, Names] = {
    edition: toml_load(DATA / edition / "names.toml", Names) for edition in get_args(Edition)
}
SLOTS: dict[Edition, Slots] = {
    edition: toml_load(DATA / edition / "slots.toml", Slots) for edition in get_args(Edition)
}
ROOMS = toml_load(DATA / "rooms.toml", Rooms)
KINDS = tuple(kind.name for kind in ROOMS.kinds)
DESCRIPTIONS = toml_load(DATA / "descriptions.toml", Descriptions)
GUEST_REVIEWS = toml_load(DATA / "guest_reviews.toml", GuestReviews)
_AMENITIES = toml_load(DATA / "amenities.toml", dict[str, tuple[Amenity, ...]])


@cache
def amenities(edition: Edition) -> tuple[Amenity, ...]:
    """Load an edition's forty amenities in eight groups; all editions share thirty of them."""
    return (*_AMENITIES["shared"], *_AMENITIES[edition])


@cache
def amenity_names(edition: Edition) -> dict[str, str]:
    return {amenity.id: amenity.name for amenity in amenities(edition)}


@cache
def house_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "room")


@cache
def room_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "house")
