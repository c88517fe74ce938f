"""The words of the booking site, loaded from its data files."""

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
"""A story is an anecdote, neither good nor bad."""
Topic = tuple[str, Mood]
"""An aspect of a stay and what a guest thinks of it."""


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
    """A property type. Its rooms are pairs of a name and how many it sleeps."""

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
    """The beds of a room, by how many people it sleeps."""
    beds_by_room: Mapping[str, tuple[str, ...]]
    """Beds of rooms whose name says something about them."""
    impossible_turns: Mapping[str, frozenset[str]]
    """Turns that a room's name cannot take."""
    impossible_amenities: Mapping[str, str]
    """The part of a name that excludes an amenity."""
    impossible_rooms: Mapping[str, tuple[str, ...]]
    """The rooms that a house with a word in its name does not have."""


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
    """Replies by aspect and mood of what the guest wrote; ``any`` where nothing fits better."""
    contradicts: Mapping[str, tuple[Topic, ...]]
    """Words that a review with a part of a sentence must not contain."""


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
    """Load an edition's forty amenities, in eight groups: thirty shared by all editions, ten of its own."""
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
