"""What an edition's reviews are made of; the words themselves are in the files of each edition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt
from typing import Literal

from tasks_app.worlds.reviews import goods_test, goods_train, grammar, sentences_test, sentences_train
from tasks_app.worlds.reviews.goods import Category
from tasks_app.worlds.reviews.grammar import Pattern

Edition = Literal["train", "test"]

MOST_COPIES = 9
TOPICS = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "price": r"\bprice|money|\bcents?\b|bargain|\bvalue\b|\bcosts?\b|out of ten|reasonable",
        "wear": r"finish|workmanship|@good|@bad|@fine|@awful|wear|shabby|robust|falling apart|as good as new"
        r"|clean\|like new|endures|flimsy|\bIt \[looks",
        "delivery": r"delivery|shipping|parcel|my order|arrived|to get here|came damaged|unpacked|packaging",
        "colour": r"colour|shade|paler|the pictures|photos",
        "size": r"\bsize\b|heavier|lighter|dimensions|bulkier|weighs",
        "manual": r"manual|leaflet",
        "service": r"service|support|phoned|refund",
        "keeping": r"\bbin\b|return|\bback\b|gave up|daily|\bkeep|get the same|another one|collection"
        r"|replacement|regret|clutter|use it|ordering|in service|look elsewhere|never again|last \[purchase"
        r"|convert|number two",
        "fall": r"\bfell\b|knocked|pushed|nudged",
        "quiet": r"quiet|loud",
        "lasted": r"\] it for \[@|lasted|survived|(?:strong|Delighted|Dead)\] after|^\[@spell\] (?:in|of use)"
        r"|^After \[@(?:spell\]: |span\])|stars (?:\[after\|for\]|after)|did not last",
    }.items()
}
"""Words of what a sentence is about, by which it is found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Everything that one edition says; the two editions share no product, name, term or sentence."""

    categories: Mapping[str, Category]
    brands: tuple[str, ...]
    colours: tuple[str, ...]
    people: tuple[str, ...]
    languages: tuple[str, ...]
    phrases: Mapping[str, tuple[Pattern, ...]]
    by_category: Mapping[str, Mapping[str, tuple[Pattern, ...]]]
    """Of each category: ``praise``, ``blame`` and, for each term's word, its longer words."""


@lru_cache(maxsize=2)
def of(edition: Edition) -> Vocabulary:
    goods, said = (goods_train, sentences_train) if edition == "train" else (goods_test, sentences_test)
    return Vocabulary(
        categories={category.id: category for category in goods.CATEGORIES},
        brands=goods.BRANDS,
        colours=goods.COLOURS,
        people=goods.PEOPLE,
        languages=goods.LANGUAGES,
        phrases={name: _patterns(sources, said.LISTS) for name, sources in said.SENTENCES.items()},
        by_category={category.id: _of_category(category, said.LISTS) for category in goods.CATEGORIES},
    )


def _of_category(category: Category, lists: grammar.Lists) -> dict[str, tuple[Pattern, ...]]:
    own = {"praise": _patterns(category.praise, lists), "blame": _patterns(category.blame, lists)}
    return own | {term.word: _patterns(term.longer, lists) for term in category.terms}


def _patterns(sources: tuple[str, ...], lists: grammar.Lists) -> tuple[Pattern, ...]:
    """The patterns, those that can be put in more ways as many times more, so that few sentences recur."""
    found = [replace(grammar.pattern(source, lists=lists), topics=topics_of(source)) for source in sources]
    return tuple(one for one in found for _ in range(min(MOST_COPIES, 1 + isqrt(one.variants) // 3)))


def topics_of(source: str) -> frozenset[str]:
    """The topics of a sentence, as it stands in the vocabulary."""
    return frozenset(name for name, words in TOPICS.items() if words.search(source))
