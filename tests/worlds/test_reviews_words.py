"""Hand-written sentences must not contain a term by accident, or the planted answer would be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import pytest

from core.text.toml import toml_load
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.types import Category
from tasks_app.worlds.reviews.vocabulary import DATA, Catalogue, Sentences

EDITIONS = get_args(Edition)
LANGUAGES = sorted(path.stem for path in (DATA / "languages").iterdir())


def categories(edition: Edition) -> list[Category]:
    return list(vocabulary.load_vocabulary(edition).categories.values())


def catalogue(edition: Edition) -> Catalogue:
    return vocabulary.load_vocabulary(edition).catalogue


def sentences(edition: Edition) -> Sentences:
    return toml_load(DATA / edition / "sentences.toml", Sentences)


def translations(language: str) -> list[tuple[str, str]]:
    """Each foreign sentence and its translation."""
    tables = toml_load(DATA / "languages" / f"{language}.toml", dict[str, list[tuple[str, str]]])
    return [pair for pairs in tables.values() for pair in pairs]


def terms(edition: Edition) -> set[str]:
    return {form for category in categories(edition) for term in category.terms for form in term.all_forms}


def sources(edition: Edition) -> Iterator[str]:
    """Every hand-written text of an edition."""
    written, names = sentences(edition), catalogue(edition)
    for options in (*written.lists.values(), *written.sentences.values()):
        yield from options
    yield from (*names.brands, *names.colours, *names.people)
    for category in categories(edition):
        yield category.noun
        for texts in ("models", "sizes", "uses", "praise", "blame", "summary"):
            yield from getattr(category, texts)
        for term in category.terms:
            yield from term.longer
    for language in names.languages:
        yield from (english for _, english in translations(language))


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_sentence_contains_a_term_as_a_whole_word(edition: Edition) -> None:
    words = {source: set(re.findall(r"\w+", source.lower())) for source in sources(edition)}
    assert [source for source in words if words[source] & terms(edition)] == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_term_has_derived_words_and_words_in_both_languages(edition: Edition) -> None:
    for term in (term for category in categories(edition) for term in category.terms):
        assert len(term.longer) >= 2
        assert all(term.word in source.lower() for source in term.longer), term.word
        assert set(term.foreign) == set(catalogue(edition).languages)


@pytest.mark.parametrize("edition", EDITIONS)
def test_only_patterns_named_first_start_with_the_term(edition: Edition) -> None:
    for name, options in sentences(edition).sentences.items():
        is_first = name.rstrip("+-~").endswith("_first")
        assert {source.startswith("{x}") for source in options} == {is_first}, name


def test_the_editions_share_no_term_name_product_or_sentence() -> None:
    assert terms("train").isdisjoint(terms("test"))
    for name in ("brands", "colours", "people", "languages", "categories"):
        assert set(getattr(catalogue("train"), name)).isdisjoint(getattr(catalogue("test"), name))
    train, test = sentences("train").sentences, sentences("test").sentences
    assert set(train) == set(test)
    assert {each for options in train.values() for each in options}.isdisjoint(
        each for options in test.values() for each in options
    )


def groups(source: str) -> list[int]:
    return [group.count("|") for group in re.findall(r"\[.*?\]", source)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_groups_of_its_original(language: str) -> None:
    for own, english in translations(language):
        assert groups(own) == groups(english), own


def printable(edition: Edition, category: Category) -> Iterator[str]:
    """All that a review of the category, or the seller's reply, may contain besides planted terms."""
    written = sentences(edition)
    for name, options in (*written.lists.items(), *written.sentences.items()):
        if not name.startswith(("ask", "answer")):
            yield from options
    yield from catalogue(edition).brands
    for language in catalogue(edition).languages:
        for pair in translations(language):
            yield from pair
    yield category.noun
    for texts in ("models", "uses", "praise", "blame"):
        yield from getattr(category, texts)


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_word_contains_a_term_except_the_planted_ones(edition: Edition) -> None:
    """The site's search also matches inside words, so an accidental match would make its counts wrong."""
    accidental = []
    for category in categories(edition):
        for term in category.terms:
            others = [other for other in category.terms if other is not term]
            texts = [*printable(edition, category), *(text for other in others for text in other.longer)]
            accidental += [(term.word, text) for text in texts if term.word in text.lower()]
    assert accidental == []
