"""Forms of answers: a number, a list, a tuple, a region, a matrix, a relation, words."""

from __future__ import annotations

from dataclasses import dataclass

from verifiers.mathtext.expressions import Node


@dataclass(frozen=True)
class Scalar:
    """One expression; ``percent`` and ``degrees`` tell which sign it had, ``unit`` names a known unit."""

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
    """A value with a label, as in ``x = 5``.

    ``label`` is "" for a bare value; ``variable`` is the name that a label such as ``f(x)`` binds.
    """

    form: Form
    label: str = ""
    variable: str = ""


@dataclass(frozen=True)
class Listing:
    """Several answers, whose order matters only if they carry different labels or represent a tuple.

    ``is_joint`` marks relations joined by "and", which must all hold at the same time.
    """

    items: tuple[Labelled, ...]
    is_set: bool = False
    is_joint: bool = False


@dataclass(frozen=True)
class Sequence:
    """Items in brackets, in order; two items in round brackets may also be an open interval."""

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
    """Sides joined by ``=``, ``ne``, ``<`` or ``le``; ``>`` and ``>=`` are turned around when parsed."""

    sides: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Ratio:
    terms: tuple[Node, ...]


@dataclass(frozen=True)
class Words:
    text: str


Form = Scalar | InBase | Listing | Sequence | Region | Matrix | Relation | Ratio | Words | Labelled
