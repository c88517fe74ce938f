"""Rung: choose the greatest of four numbers below a hundred."""

from __future__ import annotations

from itertools import pairwise

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, RUNGS, Item, Rung

LARGEST = 99


def draw(draws: Draws) -> Item:
    numbers = draws.sample(range(1, LARGEST + 1), CHOICES)
    ordered = sorted(numbers, reverse=True)
    return Item(
        text="Which number is the greatest?", choices=tuple(map(str, ordered)), steps=_steps(ordered[::-1])
    )


def _steps(rising: list[int]) -> tuple[str, ...]:
    """Rule out one number after another, starting with the smallest."""
    *smaller, (last, greatest) = pairwise(rising)
    out = (f"{less} is less than {more}, so {less} is not the greatest." for less, more in smaller)
    return (*out, f"{last} is less than {greatest}, so {greatest} is the greatest.")


RUNGS.register("greatest_number", Rung(draw=draw, difficulty=0.6))
