"""Shapes of answers: a number, a list, a tuple, a region, a matrix, a relation, words."""

from __future__ import annotations

from dataclasses import dataclass

from verifiers.mathtext.expressions import Node


@dataclass(frozen=True)
class Scalar:
    """One expression. ``percent`` and ``degrees`` are signs that it had, ``unit`` a known unit's name."""

    node: Node
    percent: bool = False
    degrees: bool = False
    unit: str = ""


@dataclass(frozen=True)
class InBase:
    """Digits in a base other than ten."""

    digits: str
    base: str


@dataclass(frozen=True)
class Labelled:
    """``x = value``; ``label`` is "" for a bare value, ``variable`` the name bound by a label ``f(x)``."""

    form: Form
    label: str = ""
    variable: str = ""


@dataclass(frozen=True)
class Listing:
    """Several answers. Their order matters only when they carry different labels or stand for a tuple.

    ``is_joint``: relations joined by "and", which hold together, if at all.
    """

    items: tuple[Labelled, ...]
    is_set: bool = False
    is_joint: bool = False


@dataclass(frozen=True)
class Sequence:
    """Items in brackets, in order. Two in round brackets may also be an open interval."""

    items: tuple[Form, ...]
    opening: str = "("
    closing: str = ")"


@dataclass(frozen=True)
class Span:
    """One interval; a single point has equal ends, both closed."""

    low: Node
    high: Node
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True)
class Region:
    """A union of intervals."""

    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Matrix:
    rows: tuple[tuple[Form, ...], ...]


@dataclass(frozen=True)
class Relation:
    """Sides joined by ``=``, ``ne``, ``<`` or ``le``, turned so that inequalities point right."""

    sides: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Ratio:
    terms: tuple[Node, ...]


@dataclass(frozen=True)
class Words:
    text: str


Form = Scalar | InBase | Listing | Sequence | Region | Matrix | Relation | Ratio | Words | Labelled
