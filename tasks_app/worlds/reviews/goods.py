"""The shape of a category of products and of the terms that its reviewers mention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word that reviews are counted by.

    ``forms`` are its other forms; ``longer`` are sentences that hold a longer word with the term inside it;
    ``foreign`` is the word in the other languages of the edition.
    """

    word: str
    forms: tuple[str, ...]
    kind: Literal["part", "problem"]
    longer: tuple[str, ...]
    foreign: Mapping[str, str]

    @property
    def all_forms(self) -> tuple[str, ...]:
        return (self.word, *self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A kind of product. Prices are in euros, lowest and highest."""

    id: str
    noun: str
    terms: tuple[Term, ...]
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    prices: tuple[int, int]
    uses: tuple[str, ...]
    praise: tuple[str, ...]
    blame: tuple[str, ...]
    summary: tuple[str, ...]


def part(word: str, plural: str, *longer: str, **foreign: str) -> Term:
    return Term(word=word, forms=(plural,), kind="part", longer=longer, foreign=foreign)


def problem(word: str, forms: str, *longer: str, **foreign: str) -> Term:
    """``forms`` are the third person, the past and the -ing form, parted by blanks."""
    return Term(word=word, forms=tuple(forms.split()), kind="problem", longer=longer, foreign=foreign)
