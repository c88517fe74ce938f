"""A table of one column, of which one cell is the answer."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, RUNGS, WORDS, Item, Rung

LARGEST = 99


def draw(draws: Draws) -> Item:
    words = draws.sample(WORDS, CHOICES)
    cells = draws.sample(range(1, LARGEST + 1), CHOICES)
    rows = draws.shuffled([f"{word}: {cell}" for word, cell in zip(words, cells, strict=True)])
    return Item(
        text=f"Which number stands beside {words[0]}?",
        choices=tuple(map(str, cells)),
        passage="\n".join(rows),
    )


RUNGS.register("table_cell", Rung(draw=draw, difficulty=0.3))
