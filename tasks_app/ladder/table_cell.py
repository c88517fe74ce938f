"""Rung: read one cell of a table with a single column of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, ORDINALS, RUNGS, WORDS, Item, Rows, Rung

LARGEST = 99
QUESTION = "Which number stands beside {}?"
BETWEEN = ": "


def draw(draws: Draws) -> Item:
    words = draws.sample(WORDS, CHOICES)
    cells = draws.sample(range(1, LARGEST + 1), CHOICES)
    rows = [f"{word}{BETWEEN}{cell}" for word, cell in zip(words, cells, strict=True)]
    rows_shown = draws.shuffled(rows)
    return Item(
        text=QUESTION.format(words[0]),
        choices=tuple(map(str, cells)),
        passage="\n".join(rows_shown),
        steps=_steps(words[0], str(cells[0]), rows_shown, place=rows_shown.index(rows[0])),
    )


def _steps(word: str, cell: str, rows: list[str], *, place: int) -> tuple[str, ...]:
    """Write the reasoning: find the row, read its number digit by digit, then state the whole number."""
    beside = f"after {rows[place - 1]}" if place else f"before {rows[place + 1]}"
    figures = f"has two digits and begins with {cell[0]}" if len(cell) > 1 else "has one digit"
    return (
        f"The row of {word} is the {ORDINALS[place]}, {beside}.",
        f"The number in that row {figures}.",
        f"The number beside {word} is {cell}.",
    )


def rows_of(payload: Mapping[str, Any]) -> Rows:
    before, after = QUESTION.split("{}")
    lines = (line.partition(BETWEEN) for line in payload["passage"].splitlines())
    word = payload["text"].removeprefix(before).removesuffix(after)
    return Rows(values={name: cell for name, _, cell in lines}, right=word)


RUNGS.register("table_cell", Rung(draw=draw, difficulty=0.3, rows=rows_of))
