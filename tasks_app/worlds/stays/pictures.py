"""A listing's pictures. Their names are the same in all worlds.

There are so few names that each picture is drawn once and shown in all worlds, so a name reveals nothing
about a world. No picture depends on an amenity or shows one, so a gallery is no evidence of what a house
offers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.draws import Draws
from core.text.toml import toml_load
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.stays.types import Listing, Room, World
from tasks_app.worlds.stays.vocabulary import DATA

HOUSE_NUMBERS = 40
OTHER_NUMBERS = 12


@dataclass(frozen=True, slots=True)
class Words:
    houses: Mapping[str, str]
    nearby: Mapping[str, tuple[str, ...]]
    subjects: Mapping[str, str]
    times: Mapping[str, str]
    captions: Mapping[str, tuple[str, ...]]


WORDS = toml_load(DATA / "pictures.toml", Words)
LIGHTS = tuple(WORDS.times)
INSIDE = ("lounge", "table", "stairs")
SUBJECTS = {
    subject: HOUSE_NUMBERS if subject in WORDS.houses.values() else OTHER_NUMBERS
    for subject in WORDS.subjects
}
"""Number of pictures of each subject in each light."""
NEARBY = {place: subject for subject, places in WORDS.nearby.items() for place in places}

_NAME = re.compile(r"([a-z]+(?:-[a-z]+)?)-(morning|day|evening)-([1-9][0-9]?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, identified by its content: a subject, a light, and a number."""

    subject: str
    light: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.subject}-{self.light}-{self.number}"

    @property
    def words(self) -> str:
        """Description for agents that do not see the picture."""
        return f"{WORDS.subjects[self.subject]}, {WORDS.times[self.light]}"


@dataclass(frozen=True, slots=True)
class Hung:
    """A picture with its caption in a listing's gallery."""

    picture: Picture
    caption: str


def picture_read(name: str) -> Picture | None:
    """Parse a picture's name, or return None if there is no such picture."""
    match = _NAME.fullmatch(name)
    if match is None or int(match[3]) > SUBJECTS.get(match[1], 0):
        return None
    return Picture(match[1], match[2], int(match[3]))


def front(world: World, listing: Listing) -> Picture:
    """Choose the main picture of a listing, which shows its house by day."""
    return _front(world, listing.id, listing.kind)


@cached_by_world(most=200)
def _front(world: World, listing_id: str, kind: str) -> Picture:
    draws = Draws(world.key, "stays", world.edition, "pictures", listing_id)
    return Picture(WORDS.houses[kind], draws.pick(LIGHTS[:2]), draws.whole(1, HOUSE_NUMBERS))


@cached_by_world(most=1)
def town_view(world: World) -> Picture:
    """Choose a picture of the town from above in daylight."""
    draws = Draws(world.key, "stays", world.edition, "pictures", "town")
    return Picture("roofs", draws.pick(LIGHTS[:2]), draws.whole(1, SUBJECTS["roofs"]))


@cached_by_world(most=8)
def gallery(world: World, listing: Listing) -> tuple[Hung, ...]:
    """Choose five to eight pictures, the front first. Pictures of rooms match their kind of beds."""
    draws = Draws(world.key, "stays", world.edition, "pictures", listing.id, "gallery")
    first = front(world, listing)
    nearby = NEARBY.get(listing.neighbourhood, "street")
    rooms = draws.sample(listing.rooms, min(2, len(listing.rooms)))
    more = [
        _hung(draws, Picture(first.subject, "evening", first.number), listing),
        *(_hung(draws, _drawn(draws, _bedroom(room)), listing, room=room.name) for room in rooms[1:]),
        *(_hung(draws, _drawn(draws, subject), listing) for subject in INSIDE),
        *(
            _hung(draws, _drawn(draws, subject), listing)
            for subject in ("roofs", "street")
            if subject != nearby
        ),
    ]
    chosen = set(draws.sample(range(len(more)), min(draws.whole(2, 5), len(more))))
    return (
        _hung(draws, first, listing),
        _hung(draws, _drawn(draws, _bedroom(rooms[0])), listing, room=rooms[0].name),
        *(subject for place, subject in enumerate(more) if place in chosen),
        _hung(draws, _drawn(draws, nearby), listing),
    )


def _drawn(draws: Draws, subject: str) -> Picture:
    return Picture(subject, draws.pick(LIGHTS), draws.whole(1, SUBJECTS[subject]))


def _bedroom(room: Room) -> str:
    if "bunk" in room.beds:
        return "bedroom-bunk"
    if "double" in room.beds or "queen" in room.beds:
        return "bedroom-double"
    return "bedroom-single" if room.sleeps == 1 else "bedroom-twin"


def _hung(draws: Draws, picture: Picture, listing: Listing, *, room: str = "") -> Hung:
    subject = picture.subject.partition("-")[0]
    if subject in WORDS.houses.values():
        subject = "house-evening" if picture.light == "evening" else "house"
    caption = draws.pick(WORDS.captions[subject]).format(
        street=listing.street.partition(" ")[2], place=listing.neighbourhood, room=room
    )
    return Hung(picture, caption)
