"""Which pictures a listing has, by names that are drawn the same for every world.

There are few enough names that each picture is drawn once and shown to all: a name says nothing of the world
that shows it. No picture depends on an amenity or shows one: a gallery is no evidence of what a house offers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.draws import Draws
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.stays.types import Listing, Room, World

LIGHTS = ("morning", "day", "evening")
HOUSES = {
    "Hotel": "hotel",
    "Apartment": "apartments",
    "Guesthouse": "guesthouse",
    "Bed and breakfast": "cottage",
    "Hostel": "warehouse",
    "Holiday home": "villa",
}
HOUSE_NUMBERS = 40
OTHER_NUMBERS = 12
BEDROOMS = ("bedroom-single", "bedroom-double", "bedroom-twin", "bedroom-bunk")
INSIDE = ("lounge", "table", "stairs")
OUTSIDE = (
    "bridge", "castle", "harbour", "hills", "lake", "lighthouse", "market", "park", "roofs", "street",
    "tower",
)  # fmt: skip
SUBJECTS = dict.fromkeys(HOUSES.values(), HOUSE_NUMBERS) | dict.fromkeys(
    (*BEDROOMS, *INSIDE, *OUTSIDE), OTHER_NUMBERS
)
"""How many of each there are, in each light."""

_NEARBY = {
    "bridge": ("Mill Island", "Fishers' Bank", "Three Bridges", "Foundry Bend", "Toll House", "Paper Mill"),
    "castle": ("Castle Hill", "Linden Gate", "Falconry", "Observatory"),
    "harbour": ("Old Harbour", "Northern Docks", "Glassworks", "Ferrymen's Reach"),
    "hills": ("Upper Vineyards", "Rosary Hill"),
    "lake": ("Steamer Landing", "Causeway End", "Icehouse", "Tannery Yard"),
    "lighthouse": ("Lighthouse Point",),
    "market": ("Saltmarket", "Copper Row", "Printers' Court", "East Loggia"),
    "park": (
        "Bishop's Meadow", "Orchard Side", "Lower Orchards", "Beekeepers' Green", "Cedar Parade",
        "Botanical Quarter",
    ),
    "tower": ("Abbey Close", "Saint Blaise"),
}  # fmt: skip
NEARBY = {place: subject for subject, places in _NEARBY.items() for place in places}
"""What is around the corner in a neighbourhood; a street in those that are not here."""

CAPTIONS = {
    "house": ("The house from {street}", "The front", "The house as you come from {street}"),
    "house-evening": ("The house in the evening", "The windows at dusk", "Coming home to {street}"),
    "bedroom": ("{room}", "A corner of the {room}", "The bed side of the {room}"),
    "lounge": ("The sitting room", "The shelf of books", "An armchair by the lamp"),
    "table": ("A table by the window", "A quiet seat at the window", "Flowers on the table"),
    "stairs": ("The staircase", "Banisters", "Up to the rooms"),
    "bridge": ("The bridge at {place}", "The river in {place}", "Along the water in {place}"),
    "castle": ("The walls above {place}", "The castle seen from {place}", "Old stones near {place}"),
    "harbour": ("Boats at {place}", "The quay at {place}", "The basin near {place}"),
    "hills": ("The slopes of {place}", "The hills behind {place}", "Above {place}"),
    "lake": ("The water at {place}", "The shore near {place}", "Sails off {place}"),
    "lighthouse": ("The lighthouse of {place}", "The light at {place}", "Out at {place}"),
    "market": ("The square of {place}", "Stalls in {place}", "{place} on a market day"),
    "park": ("Trees in {place}", "A walk in {place}", "The green of {place}"),
    "roofs": ("The view over {place}", "Roofs of {place}", "From the upper floor"),
    "street": ("{street}", "The way to the house", "Around the corner from {street}"),
    "tower": ("The belfry of {place}", "The tower of {place}", "Bells over {place}"),
}

WORDS = {
    "hotel": "A tall town house with an awning over its door",
    "apartments": "A modern house of several storeys with wide windows",
    "guesthouse": "A timber-framed house with a steep gable",
    "cottage": "A low house under a big roof, behind a fence",
    "warehouse": "A brick house with rows of arched windows",
    "villa": "A house of two wings among trees",
    "bedroom-single": "A room with a single bed",
    "bedroom-double": "A room with a wide bed",
    "bedroom-twin": "A room with two beds side by side",
    "bedroom-bunk": "A room with a bunk bed",
    "lounge": "Seats, a lamp and a shelf of books",
    "table": "A round table with flowers before a window",
    "stairs": "Wooden stairs that lead up past a window",
    "bridge": "A stone bridge over a river",
    "castle": "A castle on a rock above roofs",
    "harbour": "Boats before narrow houses on a quay",
    "hills": "Rows of vines and a farm below hills",
    "lake": "Sails on a lake between mountains",
    "lighthouse": "A striped lighthouse on a point of rock",
    "market": "Market stalls under striped cloth",
    "park": "A path and a bench between old trees",
    "roofs": "Many roofs, two towers and hills behind them",
    "street": "A lane between two rows of houses",
    "tower": "A belfry beside a long nave",
}
TIMES = {"morning": "in the morning", "day": "by day", "evening": "in the evening"}

_NAME = re.compile(r"([a-z]+(?:-[a-z]+)?)-(morning|day|evening)-([1-9][0-9]?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by what is drawn: a subject, one of so many of it, in a light."""

    subject: str
    light: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.subject}-{self.light}-{self.number}"

    @property
    def words(self) -> str:
        """What it shows, for whoever does not see it."""
        return f"{WORDS[self.subject]}, {TIMES[self.light]}"


@dataclass(frozen=True, slots=True)
class Hung:
    """A picture in a listing's gallery, and the words below it."""

    picture: Picture
    caption: str


def picture_read(name: str) -> Picture | None:
    """The picture of a name, None when there is no such picture."""
    found = _NAME.fullmatch(name)
    if found is None or int(found[3]) > SUBJECTS.get(found[1], 0):
        return None
    return Picture(found[1], found[2], int(found[3]))


@cached_by_world(most=200)
def front(world: World, listing: Listing) -> Picture:
    """The picture that stands for a listing: its house by day."""
    draws = Draws(world.key, "stays", world.edition, "pictures", listing.id)
    return Picture(HOUSES[listing.kind], draws.pick(LIGHTS[:2]), draws.whole(1, HOUSE_NUMBERS))


@cached_by_world(most=8)
def gallery(world: World, listing: Listing) -> tuple[Hung, ...]:
    """Five to eight pictures, the front first; the rooms' pictures are of their kind of beds."""
    draws = Draws(world.key, "stays", world.edition, "pictures", listing.id, "gallery")
    first = front(world, listing)
    nearby = NEARBY.get(listing.neighbourhood, "street")
    rooms = draws.sample(listing.rooms, min(2, len(listing.rooms)))
    more = [
        _hung(draws, Picture(first.subject, "evening", first.number), listing),
        *(_hung(draws, _drawn(draws, _bedroom(room)), listing, room=room.name) for room in rooms[1:]),
        *(_hung(draws, _drawn(draws, one), listing) for one in INSIDE),
        *(_hung(draws, _drawn(draws, one), listing) for one in ("roofs", "street") if one != nearby),
    ]
    chosen = set(draws.sample(range(len(more)), min(draws.whole(2, 5), len(more))))
    return (
        _hung(draws, first, listing),
        _hung(draws, _drawn(draws, _bedroom(rooms[0])), listing, room=rooms[0].name),
        *(one for place, one in enumerate(more) if place in chosen),
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
    if subject in HOUSES.values():
        subject = "house-evening" if picture.light == "evening" else "house"
    caption = draws.pick(CAPTIONS[subject]).format(
        street=listing.street.partition(" ")[2], place=listing.neighbourhood, room=room
    )
    return Hung(picture, caption)
