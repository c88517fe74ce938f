"""What guests have written, drawn when somebody opens a listing's reviews."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

from gymsite.core.draws import Draws
from tasks_app.worlds.stays.types import Listing, Review, World
from tasks_app.worlds.stays.vocabulary import NAMES
from tasks_app.worlds.stays.vocabulary_reviews import PARTIES, REPLIES, SENTENCES, SLOTS, TAILS, TITLES

GOOD_FROM = 7
REPLY_CHANCE = 0.18
TAIL_CHANCE = 0.5
_ASPECTS = tuple(aspect for aspect in SENTENCES if aspect not in ("story", "end"))


class _Slots(dict[str, str]):
    """Fills a slot when a sentence asks for it, so that only what is said is drawn."""

    def __init__(self, draws: Draws, options: dict[str, tuple[str, ...]], **fixed: str) -> None:
        super().__init__(fixed)
        self._draws = draws
        self._options = options

    def __missing__(self, slot: str) -> str:
        return self._draws.pick(self._options[slot])


@lru_cache(maxsize=512)
def reviews(world: World, listing: Listing) -> tuple[Review, ...]:
    """The listing's reviews, latest first; their scores are about its rating, which counts more ratings."""
    draws = Draws(world.key, "stays", world.edition, "reviews", listing.id)
    age = 0
    written = []
    for number in range(listing.review_count):
        age += draws.whole(2, 24)
        written.append(_review(world, listing, draws.at(number), age=age))
    return tuple(written)


def _review(world: World, listing: Listing, draws: Draws, *, age: int) -> Review:
    names = NAMES[world.edition]
    room = draws.pick(listing.rooms).name
    score = min(max(round(listing.rating / 10 + 4 * (draws.share() - 0.5)), 1), 10)
    slots = _Slots(
        draws, SLOTS[world.edition], room=room, host=listing.host, neighbourhood=listing.neighbourhood
    )
    mood = "good" if score >= GOOD_FROM + 1 else "story" if score == GOOD_FROM else "bad"
    return Review(
        author=f"{draws.pick(names.first_names)} {draws.pick('ABCDEFGHIJKLMNOPRSTVWZ')}.",
        home=draws.pick(names.homes),
        month=(world.first_day - timedelta(days=age)).strftime("%Y-%m"),
        nights=draws.whole(1, 9),
        party=draws.pick(PARTIES),
        room=room,
        score=score,
        title=_upper(draws.pick(TITLES[mood]).format_map(slots)),
        body=tuple(_upper(sentence.format_map(slots)) for sentence in _sentences(draws, score)),
        reply=draws.pick(REPLIES).format_map(slots) if draws.chance(REPLY_CHANCE) else "",
    )


def _sentences(draws: Draws, score: int) -> list[str]:
    """Praise and complaint in the measure of the score, a story among them, and sometimes a last word."""
    chosen = [
        draws.pick(SENTENCES[aspect]["good" if draws.chance((score - 2) / 8) else "bad"])
        for aspect in draws.sample(_ASPECTS, draws.whole(1, 5))
    ]
    if draws.chance(0.6):
        chosen.insert(draws.whole(0, len(chosen)), draws.pick(SENTENCES["story"]["story"]))
    if draws.chance(0.5):
        chosen.append(draws.pick(SENTENCES["end"]["good" if score >= GOOD_FROM else "bad"]))
    return [_with_tail(draws, sentence) for sentence in chosen]


def _with_tail(draws: Draws, sentence: str) -> str:
    if not sentence.endswith(".") or not draws.chance(TAIL_CHANCE):
        return sentence
    return f"{sentence[:-1]}{draws.pick(TAILS)}."


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
