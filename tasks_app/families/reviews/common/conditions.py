"""Conditions on a review's facts other than its text: stars, colour, size, badge, date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from core.draws import Draws
from tasks_app.families.wordings import site_phrases
from tasks_app.worlds.formats import counted, month_text
from tasks_app.worlds.reviews.types import Outline, Product

FACTS: Mapping[str, Callable[[Outline], Any]] = {
    "stars": lambda outline: outline.stars,
    "colour": lambda outline: outline.colour,
    "size": lambda outline: outline.size,
    "verified": lambda outline: outline.is_verified,
    "month": lambda outline: outline.day.isoformat()[:7],
    "year": lambda outline: outline.day.isoformat()[:4],
}
KINDS = {"at_least": "stars", "at_most": "stars", "month": "date", "year": "date"}


class Condition(NamedTuple):
    """A condition: one of ``FACTS`` equals the value, or stars are ``at_least`` or ``at_most`` the value."""

    fact: str
    value: int | str | bool

    @property
    def kind(self) -> str:
        """Kind of the fact. Conditions of the same kind are never combined."""
        return KINDS.get(self.fact, self.fact)


BOUNDS = (
    Condition("at_least", 4),
    Condition("at_least", 3),
    Condition("at_most", 2),
    Condition("at_most", 3),
)


def holds(condition: Condition, outline: Outline) -> bool:
    if condition.fact == "at_least":
        return outline.stars >= int(condition.value)
    if condition.fact == "at_most":
        return outline.stars <= int(condition.value)
    return bool(FACTS[condition.fact](outline) == condition.value)


def condition_text(condition: Condition, product: Product) -> str:
    """Word the condition as a clause after "reviews that"."""
    phrase, value = condition.fact, condition.value
    if condition.fact == "verified":
        phrase = f"verified_{str(value).lower()}"
    elif condition.fact == "month":
        value = month_text(date.fromisoformat(f"{value}-01"))
    elif condition.kind == "stars":
        value = counted(int(value), "star")
    size_word = product.size_word.lower()
    return str(site_phrases("reviews")[phrase]).format(value=value, size_word=size_word)


def masks(outlines: Sequence[Outline]) -> dict[Condition, int]:
    """Map each condition to a bit mask of the reviews that meet it, for conditions that some review meets."""
    masks: dict[Condition, int] = {}
    for place, outline in enumerate(outlines):
        for fact, value in FACTS.items():
            condition = Condition(fact, value(outline))
            masks[condition] = masks.get(condition, 0) | 1 << place
    for bound in BOUNDS:
        masks[bound] = sum(holds(bound, outline) << place for place, outline in enumerate(outlines))
    return masks


def pairs_draw(draws: Draws, options: Iterable[Condition], count: int) -> list[tuple[Condition, Condition]]:
    """Draw pairs of conditions of different kinds, with all kinds equally likely."""
    by_kind: dict[str, list[Condition]] = {}
    for option in options:
        by_kind.setdefault(option.kind, []).append(option)
    kinds = sorted(by_kind)
    drawn = (draws.sample(kinds, 2) for _ in range(count))
    return [(draws.pick(by_kind[first]), draws.pick(by_kind[second])) for first, second in drawn]
