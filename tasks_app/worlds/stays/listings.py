"""Drawing of a listing with its rooms, from its own stream."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from core.draws import Draws
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.stays.types import NIGHTS, Fees, Listing, Policy, Room, Rules, Tier, Town
from tasks_app.worlds.stays.vocabulary import NAMES, ROOMS, Kind, Names, house_ids, room_ids

ROOM_CHANCE = 0.6
TOGGLES = 4
"""Maximum number of amenities in which a house's other rooms differ from its first room."""
WORDS = 61
STRIDE = 5
"""Step from one room's name to the next among the name patterns, coprime to their number."""
SIBLING_CHANCE = 0.2
_OF_SEVERAL = frozenset({"Rooms", "Quarters", "Wing"})
"""Additions that never occur in the name of a house that is let as a whole."""
Words = tuple[int, ...]
_WORD_BITS = 53
"""Bits in one draw of ``Draws.share``."""
_PARTS = -(-NIGHTS // _WORD_BITS)
_WIDTH = _PARTS * _WORD_BITS
_ALL = (1 << _WIDTH) - 1


class Naming:
    """Assigns names and numbers. Numbers carry no meaning."""

    def __init__(self, draws: Draws, names: Names) -> None:
        self._draws = draws
        self._names = names
        self._given: set[str] = set()
        self._bases: dict[str, list[str]] = {}

    def number(self, prefix: str) -> str:
        while True:
            number = f"{prefix}-{self._draws.whole(1000, 9999)}"
            if number not in self._given:
                self._given.add(number)
                return number

    def listing(self, kind: Kind) -> str:
        """Draw a name. Every fifth is the name of another house of the same kind with a word added."""
        while True:
            bases = self._bases.setdefault(kind.name, [])
            if bases and self._draws.chance(SIBLING_CHANCE):
                is_whole = kind.name == "Holiday home"
                annexes = [annex for annex in self._names.annexes if not (is_whole and annex in _OF_SEVERAL)]
                name = f"{self._draws.pick(bases)} {self._draws.pick(annexes)}"
            else:
                name = self._draws.pick(kind.names).format(
                    epithet=self._draws.pick(self._names.epithets),
                    emblem=self._draws.pick(self._names.emblems),
                    family=self._draws.pick(self._names.families),
                )
                bases.append(name)
            if name not in self._given:
                self._given.add(name)
                return name


def listing_draw(draws: Draws, naming: Naming, words: Words, *, town: Town, edition: Edition) -> Listing:
    kind = draws.weighted(ROOMS.kinds, [kind.weight for kind in ROOMS.kinds])
    share = draws.share
    house = tuple([amenity for amenity in house_ids(edition) if share() < kind.amenity_chance])
    names = NAMES[edition]
    number, name = naming.number("L"), naming.listing(kind)
    return Listing(
        id=number,
        name=name,
        kind=kind.name,
        neighbourhood=draws.pick(town.neighbourhoods),
        street=f"{draws.whole(1, 98)} {draws.pick(names.streets)}",
        stars=draws.whole(1, 5) if kind.name == "Hotel" else 0,
        rating=98 - int(37 * share()),
        ratings=draws.log_whole(60, 2400),
        review_count=draws.log_whole(5, 60),
        centre_metres=draws.whole(4, 90) * 50,
        host=draws.pick(names.first_names),
        weekend_percent=draws.whole(4, 24),
        amenities=house,
        rooms=_rooms(
            draws, naming, words, names=_room_names(draws, kind, name), edition=edition, house=house
        ),
        policy=_policy(draws),
        fees=_fees(draws, kind.name),
        rules=_rules(draws),
    )


def _room_names(draws: Draws, kind: Kind, house: str) -> list[tuple[str, str, int]]:
    """Draw each room's name, kind and capacity, with no two names alike."""
    stems = kind.rooms
    for word, excluded in ROOMS.impossible_rooms.items():
        if word in house:
            stems = tuple(stem for stem in stems if stem[0] not in excluded)
    turns = ROOMS.name_turns
    index = draws.whole(0, len(turns) - 1)
    names = []
    for _ in range(draws.weighted((1, 2, 3, 4), (3, 5, 5, 3)) if kind.name != "Holiday home" else 1):
        stem, sleeps = draws.pick(stems)
        while turns[index % len(turns)] in ROOMS.impossible_turns.get(stem, ()):
            index += STRIDE
        names.append((turns[index % len(turns)].format(stem), stem, sleeps))
        index += STRIDE
    return names


def _rooms(
    draws: Draws,
    naming: Naming,
    words: Words,
    *,
    names: list[tuple[str, str, int]],
    edition: Edition,
    house: tuple[str, ...],
) -> tuple[Room, ...]:
    share = draws.share
    possible = room_ids(edition)
    first = {amenity for amenity in possible if share() < ROOM_CHANCE}
    # Every house has an amenity that its first room lacks, because agents often confuse the two.
    both = [amenity for amenity in house if amenity in possible]
    if both:
        first.discard(draws.pick(both))
    base = draws.log_whole(3800, 17000)
    rooms = []
    for number, (name, stem, sleeps) in enumerate(names):
        absent = next((amenity for amenity, part in ROOMS.impossible_amenities.items() if part in name), "")
        has = first ^ {possible[int(share() * len(possible))] for _ in range(TOGGLES if number else 0)}
        rooms.append(
            Room(
                id=naming.number("R"),
                name=name,
                beds=draws.pick(ROOMS.beds_by_room.get(stem) or ROOMS.beds[str(sleeps)]),
                square_metres=9 + 6 * sleeps + draws.whole(0, 14),
                sleeps=sleeps,
                included=min(sleeps, draws.whole(1, 3)),
                extra_cents=draws.whole(16, 60) * 50,
                base_cents=base * (66 + 15 * sleeps + draws.whole(0, 24)) // 100,
                amenities=tuple([amenity for amenity in possible if amenity in has and amenity != absent]),
                offset=draws.whole(0, 1008),
                taken=_taken(draws, words),
            )
        )
    return tuple(rooms)


def words_draw(draws: Draws) -> Words:
    """Draw words with one random bit per night. Rooms share them, each rotating a word by its own count."""
    return tuple(
        sum(int(draws.share() * (1 << _WORD_BITS)) << _WORD_BITS * part for part in range(_PARTS))
        for _ in range(WORDS)
    )


def _word(share: Callable[[], float], words: Words) -> int:
    word = words[int(share() * WORDS)]
    turn = int(share() * _WIDTH)
    return (word >> turn | word << (_WIDTH - turn)) & _ALL


def _taken(draws: Draws, words: Words) -> bytes:
    """Draw other guests' nights: stays of two or four, with a stretch just too short before a long one.

    Bit operations draw all nights together. On average, a stay begins on every fourth to sixteenth night.
    """
    share = draws.share
    starts = _word(share, words) & _word(share, words) & _word(share, words)
    third = share()
    if third < 0.15:
        starts &= _word(share, words)
    elif third > 0.6:
        starts |= starts << draws.whole(3, 9)
    longer = _word(share, words)
    nights = starts | starts << 1 | (starts & longer) << 2 | (starts & longer) << 3
    short = draws.whole(6, 90)
    gap = draws.whole(11, 13)
    nights &= ~(((1 << gap) - 1) << short)
    nights |= 1 << (short - 1) | 1 << (short + gap)
    free = short + gap + draws.whole(1, 110)
    nights &= ~(((1 << (14 + draws.whole(0, 4))) - 1) << free)
    return (nights & ((1 << NIGHTS) - 1)).to_bytes((NIGHTS + 7) // 8, "little")


@cache
def _tiers(kind: int, days: int) -> tuple[str, tuple[Tier, ...]]:
    return (
        ("Flexible", (Tier(days, 0), Tier(0, 0, True))),
        ("Moderate", (Tier(days + 4, 0), Tier(0, 50))),
        ("Firm", (Tier(days + 20, 0), Tier(days + 6, 50), Tier(0, 100))),
        ("Strict", (Tier(days + 28, 30), Tier(days + 5, 60), Tier(0, 100))),
        ("Relaxed", (Tier(days + 2, 0), Tier(days, 0, True), Tier(0, 80))),
        ("No refund", (Tier(0, 100),)),
    )[kind]


def _policy(draws: Draws) -> Policy:
    kind = draws.weighted(range(6), (5, 5, 4, 3, 3, 2))
    days = draws.whole(1, 9)
    name, tiers = _tiers(kind, days)
    return Policy(
        name=name,
        tiers=tiers,
        change_cents=draws.whole(0, 5) * draws.whole(3, 9) * 100,
        change_days=draws.whole(1, 3),
    )


def _fees(draws: Draws, kind: str) -> Fees:
    is_served = kind in ("Hotel", "Hostel", "Bed and breakfast")
    cleaning = 0 if is_served and draws.chance(0.5) else draws.whole(24, 130) * 50
    has_discount = draws.chance(0.5)
    return Fees(
        cleaning_cents=cleaning,
        service_percent=draws.pick((0, 4, 6, 8, 9, 11, 12, 14)),
        long_stay_percent=draws.whole(4, 15) if has_discount else 0,
        long_stay_nights=draws.pick((5, 7, 10)) if has_discount else 0,
    )


def _rules(draws: Draws) -> Rules:
    return Rules(
        arrive_from=draws.whole(13, 16),
        arrive_until=draws.whole(20, 24),
        leave_until=draws.whole(9, 12),
        quiet_from=draws.whole(21, 23),
        pets=draws.pick(ROOMS.pets),
        smoking=draws.pick(ROOMS.smoking),
        parties=draws.chance(0.15),
        least_age=draws.pick((0, 0, 18, 18, 21)),
        min_nights=draws.weighted((1, 2, 3), (6, 3, 1)),
    )
