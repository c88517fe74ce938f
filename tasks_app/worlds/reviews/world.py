"""The shop drawn from a key, with its products. Reviews are drawn on demand (``outlines``, ``text``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec

from core.draws import Draws
from tasks_app.worlds.cache import cache_size
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import grammar, vocabulary
from tasks_app.worlds.reviews.types import Category, Change, Product, World

RIVALS = 5
SIZES = ((50, 80), (80, 135), (135, 222), (222, 365), (365, 600))
"""Ranges of review counts: fifths of 50 to 600 on a log scale. Each range has exactly one rival."""
MOODS = 5


# A world without its reviews takes 4 KiB.
@lru_cache(maxsize=cache_size(megabytes=5, kib=5))
def world(key: bytes, *, edition: Edition = "train", first_day: date) -> World:
    """Draw the world of a key as of ``first_day``, identical to the byte on every machine."""
    draws = Draws(key, "reviews", edition)
    words = vocabulary.load_vocabulary(edition)
    main, *others = draws.shuffled(tuple(words.categories.values()))
    categories = [main] * RIVALS + [draws.pick(others) for _ in range(draws.whole(1, 5))]
    naming = draws.at("names")
    brands = naming.sample(words.catalogue.brands, len(categories))
    names = [
        (brand, naming.pick(category.models)) for brand, category in zip(brands, categories, strict=True)
    ]
    numbers = draws.sample(range(100, 1000), len(categories))
    bands = [*draws.shuffled(SIZES), *(draws.pick(SIZES) for _ in categories[RIVALS:])]
    products = tuple(
        _product(
            draws.at("product", place),
            category,
            colours=words.catalogue.colours,
            name=names[place],
            number=numbers[place],
            band=bands[place],
        )
        for place, category in enumerate(categories)
    )
    return World(key=key, edition=edition, first_day=first_day, products=products)


def world_change(of: World, changes: Iterable[Mapping[str, Any]]) -> World:
    """Apply changes to a world; without changes, the same world is returned.

    A change is ``{"review": "V1234567", "fact": "is_verified", "value": false}``. Raises
    ``msgspec.ValidationError`` for anything else.
    """
    converted = tuple(msgspec.convert(change, Change) for change in changes)
    return replace(of, changes=(*of.changes, *converted)) if converted else of


def _product(
    draws: Draws,
    category: Category,
    *,
    colours: tuple[str, ...],
    name: tuple[str, str],
    number: int,
    band: tuple[int, int],
) -> Product:
    low, high = category.prices
    summary = grammar.pattern(draws.pick(category.summary), lists={})
    return Product(
        id=f"P-{number}",
        number=number,
        name=" ".join(name),
        brand=name[0],
        noun=category.noun,
        category=category.id,
        price=draws.whole(low, high) * 100 - draws.pick((1, 5, 10, 100)),
        colours=tuple(draws.sample(colours, draws.whole(3, 5))),
        size_word=category.size_word,
        sizes=category.sizes,
        summary=grammar.pattern_write(summary, draws=draws, slots={}),
        review_count=draws.log_whole(*band),
        mood=draws.whole(0, MOODS - 1),
        launched=draws.whole(420, 1200),
    )
