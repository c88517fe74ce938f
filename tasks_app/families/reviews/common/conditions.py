"""Conditions on the facts beside a review's words: stars, colour, size, badge, date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.draws import Draws
from tasks_app.families.wordings import site_phrases
from tasks_app.worlds.formats import counted, month_text
from tasks_app.worlds.reviews.types import Outline


@dataclass(frozen=True, slots=True)
class Condition:
    """``fact`` is one of ``HELD``: of stars, ``stars`` (exactly), ``at_least`` and ``at_most``."""

    fact: str
    value: int | str | bool

    @property
    def given(self) -> dict[str, Any]:
        return {"fact": self.fact, "value": self.value}

    @property
    def kind(self) -> str:
        """Conditions of one kind are not joined."""
        if self.fact in ("at_least", "at_most"):
            return "stars"
        return "date" if self.fact in ("month", "year") else self.fact


def condition_of(given: Mapping[str, Any]) -> Condition:
    return Condition(given["fact"], given["value"])


def holds(condition: Condition, outline: Outline) -> bool:
    return HELD[condition.fact](outline, condition.value)


def condition_text(condition: Condition) -> str:
    """The condition as a clause after "reviews that"."""
    phrase, value = condition.fact, condition.value
    if condition.fact == "verified":
        phrase = f"verified_{str(value).lower()}"
    elif condition.fact == "month":
        value = month_text(date.fromisoformat(f"{value}-01"))
    elif condition.kind == "stars":
        value = counted(int(value), "star")
    return str(site_phrases("reviews")[phrase]).format(value=value)


def masks(found: Sequence[Outline]) -> dict[Condition, int]:
    """Of each condition that some review meets, those reviews as the bits of a number."""
    facts: dict[tuple[str, Any], int] = {}
    for place, outline in enumerate(found):
        bit = 1 << place
        for key in _facts(outline):
            facts[key] = facts.get(key, 0) | bit
    told = {Condition(fact, value): mask for (fact, value), mask in facts.items()}
    stars = [facts.get(("stars", value), 0) for value in range(1, 6)]
    told[Condition("at_least", 4)] = stars[3] | stars[4]
    told[Condition("at_least", 3)] = stars[2] | stars[3] | stars[4]
    told[Condition("at_most", 2)] = stars[0] | stars[1]
    told[Condition("at_most", 3)] = stars[0] | stars[1] | stars[2]
    return told


def _facts(outline: Outline) -> Iterable[tuple[str, Any]]:
    day = outline.day.isoformat()
    return (
        ("stars", outline.stars),
        ("colour", outline.colour),
        ("size", outline.size),
        ("verified", outline.is_verified),
        ("month", day[:7]),
        ("year", day[:4]),
    )


def pairs_draw(draws: Draws, options: Iterable[Condition], count: int) -> list[tuple[Condition, Condition]]:
    """Pairs of conditions of different kinds, each kind as often as another."""
    by_kind: dict[str, list[Condition]] = {}
    for option in options:
        by_kind.setdefault(option.kind, []).append(option)
    kinds = sorted(by_kind)
    drawn = (draws.sample(kinds, 2) for _ in range(count))
    return [(draws.pick(by_kind[one]), draws.pick(by_kind[two])) for one, two in drawn]


HELD: Mapping[str, Callable[[Outline, Any], bool]] = {
    "stars": lambda outline, value: outline.stars == value,
    "at_least": lambda outline, value: outline.stars >= value,
    "at_most": lambda outline, value: outline.stars <= value,
    "colour": lambda outline, value: outline.colour == value,
    "size": lambda outline, value: outline.size == value,
    "verified": lambda outline, value: outline.is_verified == value,
    "month": lambda outline, value: outline.day.isoformat()[:7] == value,
    "year": lambda outline, value: outline.day.isoformat()[:4] == value,
}
