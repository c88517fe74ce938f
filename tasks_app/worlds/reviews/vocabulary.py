"""Words of an edition's shop and reviews, loaded from its data files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt
from pathlib import Path

from core.text.toml import toml_load
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import grammar
from tasks_app.worlds.reviews.grammar import Pattern
from tasks_app.worlds.reviews.types import Category

LANGUAGES = {"de": "German", "es": "Spanish", "fr": "French", "it": "Italian"}
DATA = Path(__file__).parent / "data"
MOST_COPIES = 9
TOPICS = {
    name: re.compile("|".join(words), re.IGNORECASE)
    for name, words in toml_load(DATA / "topics.toml", dict[str, tuple[str, ...]]).items()
}
"""Words that show what a sentence is about, by topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Names from which an edition's shop is drawn. Their order is part of its worlds."""

    categories: tuple[str, ...]
    languages: tuple[str, ...]
    brands: tuple[str, ...]
    colours: tuple[str, ...]
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    lists: Mapping[str, tuple[str, ...]]
    sentences: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All words of an edition. The two editions share no product, name, term or sentence."""

    catalogue: Catalogue
    categories: Mapping[str, Category]
    phrases: Mapping[str, tuple[Pattern, ...]]
    by_category: Mapping[str, Mapping[str, tuple[Pattern, ...]]]
    """Patterns by category and name: ``praise``, ``blame`` or a term's word (for words that contain it)."""


@lru_cache(maxsize=2)
def load_vocabulary(edition: Edition) -> Vocabulary:
    catalogue = toml_load(DATA / edition / "catalogue.toml", Catalogue)
    sentences = toml_load(DATA / edition / "sentences.toml", Sentences)
    categories = [
        replace(toml_load(DATA / edition / f"{name}.toml", Category), id=name)
        for name in catalogue.categories
    ]
    lists = sentences.lists
    return Vocabulary(
        catalogue=catalogue,
        categories={category.id: category for category in categories},
        phrases={name: _patterns(sources, lists) for name, sources in sentences.sentences.items()},
        by_category={category.id: _category_patterns(category, lists) for category in categories},
    )


@lru_cache
def translations(language: str) -> Mapping[str, tuple[tuple[Pattern, Pattern], ...]]:
    """Load foreign sentences and titles by tone, each with its English translation.

    Both have the same groups in the same order, so one stream of draws picks the same options in both.
    """
    pairs = toml_load(DATA / "languages" / f"{language}.toml", dict[str, tuple[tuple[str, str], ...]])
    return {
        name: tuple(
            (grammar.pattern(own, lists={}), grammar.pattern(english, lists={})) for own, english in both
        )
        for name, both in pairs.items()
    }


def _category_patterns(category: Category, lists: grammar.Lists) -> dict[str, tuple[Pattern, ...]]:
    own = {"praise": _patterns(category.praise, lists), "blame": _patterns(category.blame, lists)}
    return own | {term.word: _patterns(term.longer, lists) for term in category.terms}


def _patterns(sources: tuple[str, ...], lists: grammar.Lists) -> tuple[Pattern, ...]:
    """Parse patterns. Those with more variants are repeated more often, so that few sentences recur."""
    patterns = [
        replace(
            grammar.pattern(source, lists=lists),
            topics=frozenset(name for name, words in TOPICS.items() if words.search(source)),
        )
        for source in sources
    ]
    return tuple(
        pattern for pattern in patterns for _ in range(min(MOST_COPIES, 1 + isqrt(pattern.variants) // 3))
    )
