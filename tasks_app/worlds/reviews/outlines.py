"""Outlines of reviews: who wrote them, when and how, and where terms occur. ``text`` adds the words later.

Each term of the product's category is planted in 3 to 60 reviews. The number is drawn log-uniformly, so rare
terms are as likely as common ones. Other reviews get text that only a careless reader would count: the term
only in a title or a reply, inside a longer word, in another form, in capitals, or in a translation.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter
from dataclasses import replace
from datetime import date
from functools import lru_cache
from operator import attrgetter
from typing import Any

from core.draws import Draws
from tasks_app.worlds.cache import cache_size
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews import world as worlds
from tasks_app.worlds.reviews.mentions import Plot, terms_plant
from tasks_app.worlds.reviews.types import Mark, Outline, Product, World
from tasks_app.worlds.reviews.vocabulary import Vocabulary

STARS = (
    (0.20, 0.40, 0.62, 0.84),
    (0.12, 0.26, 0.44, 0.70),
    (0.08, 0.18, 0.33, 0.60),
    (0.05, 0.12, 0.24, 0.52),
    (0.03, 0.08, 0.18, 0.42),
)
"""Cumulative shares of reviews with at most 1, 2, 3 and 4 stars, by a product's mood."""
LENGTHS = (0.10, 0.26, 0.46, 0.64, 0.78, 0.88, 0.95)
"""Cumulative shares of reviews with at most 1 to 7 sentences; the maximum is 8."""
VERIFIED_SHARE = 0.76
UNHELPFUL_SHARE = 0.38
MOST_HELPFUL = 260
FOREIGN_SHARE = 0.06
INITIALS = "ABCDEFGHIJKLMNOPRSTVWZ"
SERIALS = 9973
"""A prime. Multiplying numbers by any smaller factor, modulo this prime, gives each review its own serial."""


def outlines(world: World, product_id: str) -> tuple[Outline, ...]:
    """Return the product's reviews, newest first, and by id within a day."""
    index = [product.id for product in world.products].index(product_id)
    drawn = _outlines(world.key, world.edition, world.first_day, index)
    for change in world.changes:
        facts: dict[str, Any] = {change.fact: change.value}
        drawn = tuple(replace(each, **facts) if each.id == change.review else each for each in drawn)
    return drawn


def stars(world: World, product_id: str) -> tuple[int, ...]:
    """Return the stars of the product's reviews in no order, with a tenth of the work of ``outlines``."""
    index = [product.id for product in world.products].index(product_id)
    draws = Draws(world.key, "reviews", world.edition, "outlines", index)
    plots = _plots(draws.at("plots"), world.products[index], vocabulary.load_vocabulary(world.edition))
    return tuple(plot.stars for plot in plots)


def mean_tenths(world: World, product_id: str) -> int:
    """Return the mean rating in tenths of a star, rounding halves up."""
    counts = star_counts(world, product_id)
    total, given = sum(counts), sum(number * count for number, count in enumerate(counts, start=1))
    return (20 * given + total) // (2 * total)


def star_counts(world: World, product_id: str) -> tuple[int, ...]:
    """Count the reviews with 1, 2, 3, 4 and 5 stars."""
    return _star_counts(world.key, world.edition, world.first_day, product_id)


# The key is what a world is drawn from, because a cache keyed by worlds would keep them alive.
@lru_cache(maxsize=4096)
def _star_counts(key: bytes, edition: Edition, first_day: date, product_id: str) -> tuple[int, ...]:
    given = Counter(stars(worlds.world(key, edition=edition, first_day=first_day), product_id))
    return tuple(given[number] for number in range(1, len(STARS[0]) + 2))


# The outlines of one product take 99 KiB.
@lru_cache(maxsize=cache_size(megabytes=25, kib=100))
def _outlines(key: bytes, edition: Edition, first_day: date, place: int) -> tuple[Outline, ...]:
    product = worlds.world(key, edition=edition, first_day=first_day).products[place]
    words = vocabulary.load_vocabulary(edition)
    draws = Draws(key, "reviews", edition, "outlines", place)
    plots = _plots(draws.at("plots"), product, words)
    marks = terms_plant(draws.at("terms"), plots, words.categories[product.category].terms)
    drawn = _people(
        draws.at("people"), product, plots, marks, people=words.catalogue.people, first_day=first_day
    )
    drawn.sort(key=attrgetter("id"))
    return tuple(sorted(drawn, key=attrgetter("day"), reverse=True))


def _plots(draws: Draws, product: Product, words: Vocabulary) -> list[Plot]:
    share = draws.share
    shares = STARS[product.mood]
    plots = []
    for _ in range(product.review_count):
        stars = 1 + bisect(shares, share())
        plot = Plot(stars, 1 + bisect(LENGTHS, share()))
        plot.has_reply = share() < (0.25 if stars < 3 else 0.07)
        if share() < FOREIGN_SHARE:
            plot.language = draws.pick(words.catalogue.languages)
            plot.sentences = min(plot.sentences, 4)
        plots.append(plot)
    return plots


def _people(
    draws: Draws,
    product: Product,
    plots: list[Plot],
    marks: list[tuple[Mark, ...]],
    *,
    people: tuple[str, ...],
    first_day: date,
) -> list[Outline]:
    share = draws.share
    names: set[str] = set()
    factor, offset = draws.whole(2, SERIALS - 1), draws.whole(0, SERIALS - 1)
    scale = math.log(MOST_HELPFUL + 1)
    colours, sizes = product.colours, product.sizes
    newest = first_day.toordinal() - 1
    prefix = f"V{product.number}"
    outlines = []
    for number, plot in enumerate(plots):
        outline = Outline(
            f"{prefix}{(factor * number + offset) % SERIALS:04d}",
            number,
            plot.stars,
            date.fromordinal(newest - int(share() * product.launched)),
            colours[int(share() * len(colours))],
            sizes[int(share() * len(sizes))],
            share() < VERIFIED_SHARE,
            0 if share() < UNHELPFUL_SHARE else int(math.exp(share() * scale)),
            _name(draws, people, names),
            plot.language,
            plot.sentences,
            plot.has_reply,
            marks[number],
        )
        outlines.append(outline)
    return outlines


def _name(draws: Draws, people: tuple[str, ...], names: set[str]) -> str:
    """Draw a name that no other reviewer of the product has."""
    share = draws.share
    while True:
        first = people[int(share() * len(people))]
        if share() < 0.7:
            name = f"{first} {INITIALS[int(share() * len(INITIALS))]}."
        else:
            name = f"{first.lower()}{10 + int(share() * 90)}"
        if name not in names:
            names.add(name)
            return name
