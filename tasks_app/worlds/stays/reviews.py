"""Guest reviews, which are drawn when a listing's reviews are opened.

A review contradicts neither its own facts (party, nights, month) nor those of its listing nor its other
sentences, and a host replies to what the guest has said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, cached_property

from core.draws import Draws
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.stays.types import Listing, Review, Room, World
from tasks_app.worlds.stays.vocabulary import GUEST_REVIEWS, NAMES, SLOTS, Mood, Topic

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
PARTNERS = frozenset({"husband", "wife", "partner"})
PETS = frozenset({"dog", "parrot", "greyhound"})
"""Companions that never occur where pets are not allowed."""
GOOD_FROM = 7
REPLY_CHANCE = 0.18
FEW_NIGHTS = 3
MOST_TOGETHER = 6
ALONE = ("Solo traveller", "Business traveller")
TOGETHER = ("Couple", "Family", "Group of friends")
WITH_KITCHENS = ("Apartment", "Holiday home", "Hostel")
LET_WHOLE = ("Holiday home",)
FILLED_ONCE = frozenset({"relative", "companion", "vehicle", "occasion", "sound", "animal", "now"})
"""Slots that are filled once per review, because a guest travels with one aunt and hears one noise."""
_ASPECTS = tuple(aspect for aspect in GUEST_REVIEWS.sentences if aspect not in ("story", "end"))
_COMPANY = re.compile(r"\b(?:we|us|our|ours|children)\b|\{(?:relative|us)\}", re.IGNORECASE)
_HIGH_UP = re.compile(r"Top Floor|Attic|Loft|Skylight|Cottage|House|Gatehouse")
_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = ("children", "{relative}", "for work", "{nth}", "{nights}", "every day", "{often}", "upstairs",
          "{view}", "next room")  # fmt: skip


@cache
def _claims(sentence: str) -> frozenset[str | Topic]:
    """Return what a sentence is incompatible with: words of its own, and topics that contradict it."""
    own = {words for words in _WORDS if words in sentence}
    denied = {
        contradicted
        for words, moods in GUEST_REVIEWS.contradicts.items()
        if words in sentence
        for contradicted in moods
    }
    return frozenset({*own, *denied, *(["company"] if _COMPANY.search(sentence) else [])})


class _Slots(dict[str, str]):
    """Values for slots, drawn only when a sentence uses the slot."""

    def __init__(self, draws: Draws, options: dict[str, Sequence[str]], **fixed: str) -> None:
        super().__init__(fixed)
        self._draws = draws
        self._options = options
        self.picks: dict[str, str] = {}

    def __missing__(self, slot: str) -> str:
        picked = self.picks[slot] = self._draws.pick(self._options[slot])
        if slot in FILLED_ONCE:
            self[slot] = picked
        return picked


@dataclass(kw_only=True)
class _Guest:
    """The writer of a review. ``topics`` are the topics of the sentences so far."""

    listing: Listing
    room: Room
    party: str
    heads: int
    nights: int
    month: int
    topics: list[Topic] = field(default_factory=list)

    @property
    def aspects(self) -> list[str]:
        """Aspects of this listing about which a guest can write."""
        absent = set() if "breakfast" in self.listing.amenities else {"breakfast"}
        if self.listing.kind not in WITH_KITCHENS:
            absent.add("kitchen")
        return [aspect for aspect in _ASPECTS if aspect not in absent]

    @cached_property
    def cannot(self) -> set[str | Topic]:
        """Claims, as in ``_claims``, that this guest cannot make; they grow with what has been said."""
        held: dict[str, bool] = {
            "company": self.party in ALONE,
            "for work": self.party in TOGETHER,
            "children": self.party != "Family",
            "{relative}": self.party == "Group of friends",
            "{nth}": self.nights == 1,
            "{nights}": self.nights == 1,
            "every day": self.nights == 1,
            "{often}": self.nights < FEW_NIGHTS,
            "upstairs": bool(_HIGH_UP.search(self.room.name)),
            "{view}": "View" in self.room.name,
            "next room": self.listing.kind in LET_WHOLE,
        }
        return {words for words, is_held in held.items() if is_held}

    def say(self, aspect: str, mood: Mood) -> None:
        self.topics.append((aspect, mood))
        self.cannot.add((aspect, mood))

    def fitting(self, sentences: Sequence[str]) -> list[str]:
        return [sentence for sentence in sentences if self.cannot.isdisjoint(_claims(sentence))]


@cached_by_world(most=6)
def reviews(world: World, listing: Listing) -> tuple[Review, ...]:
    """Draw the listing's reviews, latest first.

    Scores are close to the listing's rating, which includes ratings without a review.
    """
    draws = Draws(world.key, "stays", world.edition, "reviews", listing.id)
    age = 0
    written = []
    for number in range(listing.review_count):
        age += draws.whole(2, 24)
        written.append(_review(world, listing, draws.at(number), age=age))
    return tuple(written)


def _review(world: World, listing: Listing, draws: Draws, *, age: int) -> Review:
    names = NAMES[world.edition]
    day = world.first_day - timedelta(days=age)
    guest = _guest(listing, draws, month=day.month)
    score = min(max(round(listing.rating / 10 + 4 * (draws.share() - 0.5)), 1), 10)
    slots = _slots(world, guest, draws)
    mood: Mood = "good" if score >= GOOD_FROM + 1 else "story" if score == GOOD_FROM else "bad"
    body = tuple(_upper(sentence.format_map(slots)) for sentence in _sentences(draws, guest, score))
    return Review(
        author=f"{draws.pick(names.first_names)} {draws.pick('ABCDEFGHIJKLMNOPRSTVWZ')}.",
        home=draws.pick(names.homes),
        month=day.strftime("%Y-%m"),
        nights=guest.nights,
        party=guest.party,
        room=guest.room.name,
        score=score,
        title=_upper(draws.pick(guest.fitting(GUEST_REVIEWS.titles[mood])).format_map(slots)),
        body=body,
        reply=_reply(draws, guest, slots, mood) if draws.chance(REPLY_CHANCE) else "",
    )


def _guest(listing: Listing, draws: Draws, *, month: int) -> _Guest:
    """Draw a party that fits the room; a couple, a family or a group has at least two people."""
    room = draws.pick(listing.rooms)
    party = draws.pick((*ALONE, *TOGETHER[: {1: 0, 2: 1}.get(room.sleeps, len(TOGETHER))]))
    heads = 1 if party in ALONE else 2
    if party in TOGETHER[1:]:
        heads = draws.whole(3, min(room.sleeps, MOST_TOGETHER))
    nights = draws.whole(max(1, listing.rules.min_nights), 9)
    return _Guest(listing=listing, room=room, party=party, heads=heads, nights=nights, month=month)


def _slots(world: World, guest: _Guest, draws: Draws) -> _Slots:
    words = SLOTS[world.edition]
    options: dict[str, Sequence[str]] = {**words.slots}
    options["nth"] = options["nth"][: max(guest.nights - 1, 1)]
    options["now"] = words.months[guest.month - 1]
    if guest.party in ALONE:
        options["occasion"] = [option for option in options["occasion"] if not option.startswith("our ")]
    if guest.party == "Couple":
        options["relative"] = [option for option in options["relative"] if option in PARTNERS]
    if guest.listing.rules.pets == "Pets are not allowed":
        options["companion"] = [option for option in options["companion"] if option not in PETS]
    return _Slots(
        draws,
        options,
        room=guest.room.name,
        host=guest.listing.host,
        neighbourhood=guest.listing.neighbourhood,
        nights=NUMBERS[guest.nights],
        us="both of us" if guest.heads == 2 else f"the {NUMBERS[guest.heads]} of us",
    )


def _sentences(draws: Draws, guest: _Guest, score: int) -> list[str]:
    """Write praise and complaints in proportion to the score, perhaps with a story or a closing sentence."""
    chosen = []
    for aspect in draws.sample(guest.aspects, draws.whole(1, 5)):
        mood: Mood = "good" if draws.chance((score - 2) / 8) else "bad"
        fitting = guest.fitting(GUEST_REVIEWS.sentences[aspect][mood])
        if fitting:
            chosen.append(draws.pick(fitting))
            guest.say(aspect, mood)
    if draws.chance(0.6):
        story = draws.pick(guest.fitting(GUEST_REVIEWS.sentences["story"]["story"]))
        if "little sleep" in story:
            guest.say("bed", "bad")
        chosen.insert(draws.whole(0, len(chosen)), story)
    if draws.chance(0.5):
        fitting = guest.fitting(GUEST_REVIEWS.sentences["end"]["good" if score >= GOOD_FROM else "bad"])
        chosen += [draws.pick(fitting)] if fitting else []
    return chosen


def _reply(draws: Draws, guest: _Guest, slots: _Slots, mood: Mood) -> str:
    """Reply to one of the topics in the guest's own words."""
    known = {*slots, *slots.picks}
    replies = GUEST_REVIEWS.replies
    texts = [text for aspect, felt in guest.topics for text in replies.get(aspect, {}).get(felt, ())]
    fitting = [text for text in texts if known.issuperset(_SLOT.findall(text))]
    slots.update(slots.picks)
    return draws.pick(fitting or replies["any"][mood]).format_map(slots)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
