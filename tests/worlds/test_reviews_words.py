"""What is written by hand must not say a term by accident, or the planted truth would not be the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType

import pytest

from tasks_app.worlds.reviews import foreign, goods_test, goods_train, sentences_test, sentences_train
from tasks_app.worlds.reviews.goods import Category

EDITIONS = {"train": (goods_train, sentences_train), "test": (goods_test, sentences_test)}


def terms(goods: ModuleType) -> set[str]:
    return {form for category in goods.CATEGORIES for term in category.terms for form in term.all_forms}


def sources(goods: ModuleType, sentences: ModuleType) -> Iterator[str]:
    """Every hand-written text of an edition."""
    for options in (*sentences.LISTS.values(), *sentences.SENTENCES.values()):
        yield from options
    yield from (*goods.BRANDS, *goods.COLOURS, *goods.PEOPLE)
    for category in goods.CATEGORIES:
        yield category.noun
        for texts in ("models", "sizes", "uses", "praise", "blame", "summary"):
            yield from getattr(category, texts)
        for term in category.terms:
            yield from term.longer
    for language in goods.LANGUAGES:
        for pairs in (*foreign.PAIRS[language].values(), *foreign.TITLES[language].values()):
            yield from (english for _, english in pairs)


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_sentence_says_a_term_as_a_whole_word(edition: str) -> None:
    goods, sentences = EDITIONS[edition]
    said = {
        source: set(re.findall(r"\w+", source.lower())) & terms(goods) for source in sources(goods, sentences)
    }
    assert {source: found for source, found in said.items() if found} == {}


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_term_has_longer_words_and_words_in_both_languages(edition: str) -> None:
    goods, _ = EDITIONS[edition]
    for term in (term for category in goods.CATEGORIES for term in category.terms):
        assert len(term.longer) >= 2
        assert all(term.word in source.lower() for source in term.longer), term.word
        assert set(term.foreign) == set(goods.LANGUAGES)


@pytest.mark.parametrize("edition", EDITIONS)
def test_only_patterns_named_first_begin_with_the_term(edition: str) -> None:
    for name, options in EDITIONS[edition][1].SENTENCES.items():
        is_first = name.rstrip("+-~").endswith("_first")
        assert {source.startswith("{x}") for source in options} == {is_first}, name


def test_the_editions_share_no_term_name_product_or_sentence() -> None:
    (train, said), (test, heard) = EDITIONS.values()
    assert terms(train) & terms(test) == set()
    for names in ("BRANDS", "COLOURS", "PEOPLE", "LANGUAGES"):
        assert set(getattr(train, names)) & set(getattr(test, names)) == set()
    assert {each.id for each in train.CATEGORIES} & {each.id for each in test.CATEGORIES} == set()
    assert set(said.SENTENCES) == set(heard.SENTENCES)
    assert {each for options in said.SENTENCES.values() for each in options}.isdisjoint(
        each for options in heard.SENTENCES.values() for each in options
    )


def groups(source: str) -> list[int]:
    return [group.count("|") for group in re.findall(r"\[.*?\]", source)]


@pytest.mark.parametrize("language", foreign.NAMES)
def test_a_translation_has_the_groups_of_its_original(language: str) -> None:
    tables = (foreign.PAIRS[language], foreign.TITLES[language])
    for own, english in [pair for table in tables for pairs in table.values() for pair in pairs]:
        assert groups(own) == groups(english), own


def heard(goods: ModuleType, sentences: ModuleType, category: Category) -> Iterator[str]:
    """All that a review of the category, or the seller's reply, may say beside what is planted."""
    for name, options in (*sentences.LISTS.items(), *sentences.SENTENCES.items()):
        if not name.startswith(("ask", "answer")):
            yield from options
    yield from goods.BRANDS
    for language in goods.LANGUAGES:
        for pairs in (*foreign.PAIRS[language].values(), *foreign.TITLES[language].values()):
            yield from (said for pair in pairs for said in pair)
    yield category.noun
    for texts in ("models", "uses", "praise", "blame"):
        yield from getattr(category, texts)


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_longer_word_holds_a_term_but_those_that_are_planted(edition: str) -> None:
    """The site's search finds letters inside words: what it lists by chance could not be reckoned with."""
    goods, sentences = EDITIONS[edition]
    found = []
    for category in goods.CATEGORIES:
        for term in category.terms:
            others = [other for other in category.terms if other is not term]
            texts = [*heard(goods, sentences, category), *(said for other in others for said in other.longer)]
            found += [(term.word, text) for text in texts if term.word in text.lower()]
    assert found == []
