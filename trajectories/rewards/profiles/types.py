"""Reward profiles, as written in TOML or sent to the API, and the payments that result."""

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
    """A condition for a term, which counts only if the component of ``term`` is at least at this share of its
    range.
    """

    term: Name
    at_least: Share = 1.0


class Phase(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A factor for a term's weight that applies from a trainer step on."""

    trainer_step: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    factor: Number


class Term(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The payment for one component.

    The payment is ``weight`` times ``positive`` at the upper end of the component's range, times ``negative``
    at the lower end, and linear in between.

    ``low`` and ``high`` narrow the range, or define one for a component without an upper end. ``trust`` is
    the term's share of a blend. In a cascade, a term decides if its component is at most at ``decides_below``
    or at least at ``decides_above`` of its range, and the first term that decides is paid. ``schedule``
    changes the weight during training.
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
        """The term's own name, or its component's name if it has none."""
        return self.name or self.component


class Profile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reward profile. ``clip`` bounds an episode's total; ``shape`` is how it is distributed over the
    steps.

    With ``at_end``, the last step gets everything. With ``per_step``, the payment for a component of steps
    goes to these steps in equal parts, and the last step gets the rest. ``potential`` does the same, but
    takes back at the end what terms other than the outcome have paid (Ng, Harada and Russell 1999), so that
    they guide the policy without adding to the total.
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
    """A profile's payment for an episode. ``total`` is None if unknown, and for every void episode.

    ``terms`` has payments by term, and ``steps`` by step number. If the profile is a sum, both add up to the
    total.
    """

    total: float | None
    terms: Mapping[str, float | None] = field(default_factory=dict)
    steps: Mapping[int, float] = field(default_factory=dict)
