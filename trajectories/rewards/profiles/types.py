"""Reward profiles as written in TOML and sent to the API, and the payments that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta, Struct

LIMIT = 1e6
TERMS_MAX = 16
Number = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
Share = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_/.-]{0,63}$")]
Combination = Literal["sum", "product", "blend", "cascade"]
Shape = Literal["at_end", "per_step", "potential"]


class Gate(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A term counts only where the one of ``term`` has at least so much of its range."""

    term: Name
    at_least: Share = 1.0


class Phase(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The factor of a term's weight from a trainer step on."""

    trainer_step: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    factor: Number


class Term(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Payment for one component.

    It is ``positive`` at the upper end of the component's range, ``negative`` at the lower, linear between
    them, times ``weight``.

    ``low`` and ``high`` narrow the range, and give one to a component that has none. ``trust`` is a term's
    share of a blend. In a cascade the first term decides whose component is at most ``decides_below`` or at
    least ``decides_above`` of its range. ``schedule`` changes the weight as training goes on.
    """

    component: Name
    name: Annotated[str, Meta(pattern=r"^([a-z][a-z0-9_/.-]{0,63})?$")] = ""
    weight: Number = 1.0
    positive: Number = 1.0
    negative: Number = 0.0
    low: Number | None = None
    high: Number | None = None
    gate: Gate | None = None
    trust: Share | None = None
    decides_below: Share = 0.0
    decides_above: Share = 1.0
    schedule: Annotated[list[Phase], Meta(max_length=TERMS_MAX)] = []

    @property
    def id(self) -> str:
        """The term's own name, or else that of its component."""
        return self.name or self.component


class Profile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``clip`` bounds the sum of an episode. ``shape`` is how it is spread over the steps.

    ``at_end``: all on the last step. ``per_step``: what is paid for a component of steps goes to them, in
    equal parts, the rest to the last. ``potential``: the same, and what terms other than the outcome paid is
    taken back at the end (Ng, Harada and Russell 1999), so that they guide and never count.
    """

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]
    terms: Annotated[list[Term], Meta(min_length=1, max_length=TERMS_MAX)]
    combination: Combination = "sum"
    shape: Shape = "at_end"
    clip: Annotated[list[Number], Meta(min_length=2, max_length=2)] | None = None
    allow_shaping_over_outcome: bool = False

    @property
    def by_name(self) -> dict[str, Term]:
        return {term.id: term for term in self.terms}


@dataclass(frozen=True)
class Payment:
    """Payment of an episode; ``total`` is None if unknown, as for every void episode.

    ``terms`` are by name, ``steps`` by number, and both add up to the total if terms are summed.
    """

    total: float | None
    terms: Mapping[str, float | None] = field(default_factory=dict)
    steps: Mapping[int, float] = field(default_factory=dict)
