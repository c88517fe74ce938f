"""The shop's world as frozen values: products and reviews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tasks_app.worlds.editions import Edition

FOLD = 3
"""Sentences of a review that are shown before "Read more"."""

Case = Literal["lower", "capital", "upper"]
Place = Literal["title", "body", "reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word that tasks count reviews by."""

    word: str
    forms: tuple[str, ...]
    """The plural of a noun, or the third person, past and -ing form of a verb."""
    kind: Literal["part", "problem"]
    longer: tuple[str, ...]
    """Sentences with a longer word that contains the term."""
    foreign: Mapping[str, str]
    """The word in each foreign language of the edition."""

    @property
    def all_forms(self) -> tuple[str, ...]:
        return (self.word, *self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A kind of product. Its id is the name of its file."""

    id: str = ""
    noun: str
    terms: tuple[Term, ...]
    models: tuple[str, ...]
    size_word: str
    """The shop's word for the sizes of such products: some come in capacities, others in types."""
    sizes: tuple[str, ...]
    prices: tuple[int, int]
    """Lowest and highest, in euros."""
    uses: tuple[str, ...]
    praise: tuple[str, ...]
    blame: tuple[str, ...]
    summary: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """``price`` is in cents; ``launched`` counts days back from the world's first day."""

    id: str
    number: int
    name: str
    brand: str
    noun: str
    category: str
    price: int
    colours: tuple[str, ...]
    size_word: str
    sizes: tuple[str, ...]
    summary: str
    review_count: int
    mood: int
    launched: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One fact of one review that differs from what was drawn."""

    review: str
    fact: Literal["is_verified"]
    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The shop on ``first_day``; every review is from before it. The first five products are rivals."""

    key: bytes = field(repr=False)
    edition: Edition
    first_day: date
    products: tuple[Product, ...]
    changes: tuple[Change, ...] = ()

    def __hash__(self) -> int:
        """Hash cheaply: caches hash a world ten times per task, and its products are long."""
        return hash((self.key, self.edition, self.first_day, self.changes))

    def product(self, product_id: str) -> Product:
        """Return a product. Raises ``StopIteration`` when there is none."""
        return next(product for product in self.products if product.id == product_id)

    @property
    def rivals(self) -> tuple[Product, ...]:
        return self.products[:5]


@dataclass(frozen=True, slots=True)
class Mark:
    """A term in a review: ``form`` 0 is the word itself, 1 and up its other forms, -1 a longer word."""

    term: str
    form: int
    case: Case
    place: Place
    at: int = 0
    """Index of the body's sentence."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A review but for its words: ``number`` names the stream that they are drawn from."""

    id: str
    number: int
    stars: int
    day: date
    colour: str
    size: str
    is_verified: bool
    helpful: int
    reviewer: str
    language: str
    """Empty for English."""
    sentences: int
    has_reply: bool
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A review as it is shown. ``title`` and ``body`` (one string per sentence) are in English. If they
    are a translation, ``original`` is the title and the sentences in the reviewer's language."""

    outline: Outline
    title: str
    body: tuple[str, ...]
    original: tuple[str, ...] = ()
    reply: str = ""

    @property
    def id(self) -> str:
        return self.outline.id

    @property
    def shown(self) -> str:
        """Text before "Read more"."""
        return " ".join(self.body[:FOLD])

    @property
    def folded(self) -> str:
        """Text behind "Read more", empty when there is none."""
        return " ".join(self.body[FOLD:])

    def texts(self) -> Iterator[str]:
        """Yield everything that the site's own search looks at."""
        yield self.title
        yield " ".join(self.body)
        yield " ".join(self.original)
        yield self.reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    author: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    asker: str
    day: date
    text: str
    answers: tuple[Answer, ...]
