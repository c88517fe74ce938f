"""Functions that the checks of answers share: reading numbers and grids, walking, turning."""

from __future__ import annotations

import itertools
import re
from collections import Counter, deque
from collections.abc import Iterator
from fractions import Fraction

Grid = list[list[int]]
Place = tuple[int, int]
ARITHMETIC = re.compile(r"[\d\s+\-*/().]+")


def integers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def value(expression: str) -> Fraction:
    """Return the exact value of an expression of numbers, signs and brackets."""
    assert ARITHMETIC.fullmatch(expression), expression
    exact = re.sub(r"\d+(?:\.\d+)?", lambda number: f"Fraction('{number[0]}')", expression.strip())
    return eval(exact, {"Fraction": Fraction})


def grid(text: str, *, width: int = 0) -> Grid:
    """Return those lines of a text that contain only numbers."""
    lines = [line.split() for line in text.splitlines() if re.fullmatch(r"\s*-?\d+(?:\s+-?\d+)*\s*", line)]
    return [[int(cell) for cell in line] for line in lines if not width or len(line) == width]


def beside(place: Place) -> Iterator[Place]:
    row, column = place
    yield from ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))


def cells(rows: Grid) -> dict[Place, int]:
    return {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}


def distances(free: set[Place], starts: list[Place]) -> dict[Place, int]:
    """Return the number of steps from the nearest start to every place that can be reached."""
    steps = dict.fromkeys(starts, 0)
    queue = deque(starts)
    while queue:
        place = queue.popleft()
        for near in beside(place):
            if near in free and near not in steps:
                steps[near] = steps[place] + 1
                queue.append(near)
    return steps


def turned(rows: Grid, quarters: int) -> Grid:
    for _ in range(quarters % 4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
    return rows


def lived(rows: Grid, generations: int) -> Iterator[Grid]:
    height, width = len(rows), len(rows[0])
    yield rows
    for _ in range(generations):
        alive = {place for place, cell in cells(rows).items() if cell}
        near = Counter(
            ((r + dr) % height, (c + dc) % width)
            for r, c in alive
            for dr, dc in itertools.product((-1, 0, 1), repeat=2)
            if dr or dc
        )
        born = {place for place, count in near.items() if count == 3 or (count == 2 and place in alive)}
        rows = [[int((r, c) in born) for c in range(width)] for r in range(height)]
        yield rows
