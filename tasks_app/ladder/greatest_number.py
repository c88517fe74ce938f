"""The greatest of four numbers under a hundred."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, RUNGS, Item, Rung

LARGEST = 99


def draw(draws: Draws) -> Item:
    numbers = draws.sample(range(1, LARGEST + 1), CHOICES)
    ordered = sorted(numbers, reverse=True)
    return Item(text="Which number is the greatest?", choices=tuple(map(str, ordered)))


RUNGS.register("greatest_number", Rung(draw=draw, difficulty=0.6))
