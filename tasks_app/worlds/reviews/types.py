"""Frozen types of the shop's world: products and reviews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tasks_app.worlds.editions import Edition

FOLD = 3
"""Number of sentences of a review that are shown before "Read more"."""

Case = Literal["lower", "capital", "upper"]
Place = Literal["title", "body", "reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word whose mentions tasks count in reviews."""

    word: str
    forms: tuple[str, ...]
    """Plural of a noun, or third person, past and -ing form of a verb."""
    kind: Literal["part", "problem"]
    longer: tuple[str, ...]
    """Sentences that contain a longer word with the term in it."""
    foreign: Mapping[str, str]
    """The word in each of the edition's foreign languages."""

    @property
    def all_forms(self) -> tuple[str, ...]:
        return (self.word, *self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A kind of product. Its id is its file's name."""

    id: str = ""
    noun: str
    terms: tuple[Term, ...]
    models: tuple[str, ...]
    size_word: str
    """The shop's word for the product's sizes, since some products come in capacities and others in types."""
    sizes: tuple[str, ...]
    prices: tuple[int, int]
    """Lowest and highest price in euros."""
    uses: tuple[str, ...]
    praise: tuple[str, ...]
    blame: tuple[str, ...]
    summary: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A product.

    ``price`` is in cents, and ``launched`` is the number of days before the world's first day.
    """

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
    """The shop on ``first_day``. All reviews are from before that day. The first five products are rivals."""

    key: bytes = field(repr=False)
    edition: Edition
    first_day: date
    products: tuple[Product, ...]
    changes: tuple[Change, ...] = ()

    def __hash__(self) -> int:
        """Hash cheaply, since caches hash a world ten times per task and products are long."""
        return hash((self.key, self.edition, self.first_day, self.changes))

    def product(self, product_id: str) -> Product:
        """Return a product. Raises ``StopIteration`` if it does not exist."""
        return next(product for product in self.products if product.id == product_id)

    @property
    def rivals(self) -> tuple[Product, ...]:
        return self.products[:5]


@dataclass(frozen=True, slots=True)
class Mark:
    """A term in a review. ``form`` is 0 for the word, 1 and up for its other forms, -1 for a longer word."""

    term: str
    form: int
    case: Case
    place: Place
    at: int = 0
    """Index of the sentence in the body."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A review without its text. ``number`` names the stream from which the text is drawn."""

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
    """A review as it is shown. ``title`` and ``body``, one string per sentence, are in English.

    If they are a translation, ``original`` has the title and the sentences in the reviewer's language.
    """

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
        """Text behind "Read more", or empty if there is none."""
        return " ".join(self.body[FOLD:])

    def texts(self) -> Iterator[str]:
        """Yield all texts in which the site's own search looks."""
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
