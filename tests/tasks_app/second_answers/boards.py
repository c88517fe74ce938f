"""Boards and matrices."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction

from tests.tasks_app.second_answers.reading import Grid, cells, distances, grid, integers, lived, turned

Rows = list[list[str]]


def largest_island(question: str, answer: str) -> bool:
    land = {place for place, cell in cells(grid(question)).items() if cell}
    return max((len(distances(land, [place])) for place in land), default=0) == int(answer)


def maze(question: str, answer: str) -> bool:
    start, goal = re.search(r"'(.)' \(start\) to '(.)' \(goal\)", question).groups()
    wall = re.search(r"'(.)' = Wall", question)[1]
    lines = question.split("```\n", 1)[1].split("\n```\nLegend")[0].split("\n")
    signs = {(r, c): sign for r, line in enumerate(lines) for c, sign in enumerate(line)}
    free = {place for place, sign in signs.items() if sign != wall}
    steps = distances(free, [place for place, sign in signs.items() if sign == start])
    reached = next((steps[place] for place in steps if signs[place] == goal), None)
    return answer == ("infeasible" if reached is None else str(reached))


def rotten_oranges(question: str, answer: str) -> bool:
    oranges = {place: cell for place, cell in cells(grid(question)).items() if cell}
    minutes = distances(set(oranges), [place for place, cell in oranges.items() if cell == 2])
    return int(answer) == (max(minutes.values(), default=0) if len(minutes) == len(oranges) else -1)


def game_of_life(question: str, answer: str) -> bool:
    steps = int(re.search(r"after (\d+) step", question)[1])
    start = json.loads(question.split("\n\n", 1)[1].strip().rstrip("."))
    *_, last = lived(start, steps)
    return last == json.loads(answer)


def game_of_life_halting(question: str, answer: str) -> bool:
    steps = int(re.search(r"before (\d+) step", question)[1])
    lines = question.split("Initial board:")[1].strip().splitlines()
    generations = lived([integers(line) for line in lines], steps)
    return str(any(not any(map(any, board)) for board in generations)) == answer


def rotate_matrix(question: str, answer: str) -> bool:
    quarters = int(re.search(r"by (\d+) degrees", question)[1]) // 90
    return turned(grid(question), quarters) == grid(answer)


def binary_matrix(question: str, answer: str) -> bool:
    board = cells(grid(question))
    nearest = distances(set(board), [place for place, cell in board.items() if not cell])
    return all(nearest.get(place, -1) == cell for place, cell in cells(grid(answer)).items())


def spiral_matrix(question: str, answer: str) -> bool:
    rows, spiral = grid(question.split("spiral order?")[-1]), []
    while rows:
        spiral += rows[0]
        rows = turned(rows[1:], 3) if rows[1:] else []
    return spiral == integers(answer)


def pool_matrix(question: str, answer: str) -> bool:
    kind, size = re.search(r"Perform (max|average) pooling .* size of (\d+)", question).groups()
    rows, step = grid(question), int(size)
    right = [
        _pooled([cell for row in rows[r : r + step] for cell in row[c : c + step]], kind=kind)
        for r in range(0, len(rows), step)
        for c in range(0, len(rows[0]), step)
    ]
    given = [Fraction(cell) for cell in answer.split()]
    return all(abs(a - b) <= Fraction(501, 100_000) for a, b in zip(right, given, strict=True))


def _pooled(part: list[int], *, kind: str) -> Fraction:
    return Fraction(max(part)) if kind == "max" else Fraction(sum(part), len(part))


def survo(question: str, answer: str) -> bool | None:
    filled = grid(answer)
    given = grid(question, width=len(filled[0]))
    if len(given) != len(filled):
        return None
    rows = zip(given[:-1], filled[:-1], strict=True)
    inner = [(a, b) for row, other in rows for a, b in zip(row[:-1], other[:-1], strict=True)]
    lines = [*filled, *map(list, zip(*filled, strict=True))]
    return (
        sorted(b for a, b in inner if a == 0) == sorted(integers(re.findall(r"\[[-\d, ]+\]", question)[-1]))
        and all(a in (0, b) for a, b in inner)
        and all(sum(line[:-1]) == line[-1] for line in lines)
    )


def sudoku(question: str, answer: str) -> bool | None:
    filled = [line.split() for line in answer.splitlines()]
    size = len(filled)
    lines = question.splitlines()
    given = [line.split() for line in lines if re.fullmatch(r"[\d_](?: [\d_])+", line.strip())]
    if len(given) != size:
        return None
    box = math.isqrt(size)
    boxes = [
        [filled[r + dr][c + dc] for dr in range(box) for dc in range(box)]
        for r in range(0, size, box)
        for c in range(0, size, box)
    ]
    return _fits(given, filled) and _is_latin(filled) and all(len(set(part)) == size for part in boxes)


def mini_sudoku(question: str, answer: str) -> bool | None:
    return sudoku(question, answer)


def futoshiki(question: str, answer: str) -> bool:
    """Check an answer; signs are between the cells of a row, or on a separate line below a cell."""
    lines = question.split("puzzle:\n\n")[1].split("\n\nEnsure")[0].splitlines()
    filled = [re.findall(r"\d+", line) for line in answer.splitlines()[::2]]
    given = [re.findall(r"\d+|_", line) for line in lines[::2]]
    pairs: list[tuple[str, str]] = []
    for row, line in zip(filled, lines[::2], strict=True):
        signs = enumerate(re.findall(r"(?:\d+|_)\s*([<>]?)", line))
        pairs += [(row[c], row[c + 1]) if sign == "<" else (row[c + 1], row[c]) for c, sign in signs if sign]
    for number, line in enumerate(lines[1::2]):
        for place, sign in enumerate(line):
            if sign in "∧∨":
                upper, lower = filled[number][place // 4], filled[number + 1][place // 4]
                pairs.append((upper, lower) if sign == "∧" else (lower, upper))
    return _fits(given, filled) and _is_latin(filled) and all(int(a) < int(b) for a, b in pairs)


def _fits(given: Rows, filled: Rows) -> bool:
    rows = zip(given, filled, strict=True)
    return all(a in ("_", b) for row, other in rows for a, b in zip(row, other, strict=True))


def _is_latin(filled: Rows) -> bool:
    numbers = {str(number) for number in range(1, len(filled) + 1)}
    return all(set(line) == numbers for line in (*filled, *zip(*filled, strict=True)))


def manipulate_matrix(question: str, answer: str) -> bool | None:
    rows = grid(question.split("Perform")[0])
    for act in re.findall(r"^- (.*)$", question.split("in order:")[1], re.MULTILINE):
        changed = _manipulated(rows, act)
        if changed is None:
            return None
        rows = changed
    return rows == grid(answer)


def _manipulated(rows: Grid, act: str) -> Grid | None:
    numbers = [abs(number) for number in integers(act)]
    ways: dict[str, Callable[[], Grid]] = {
        "Identity": lambda: rows,
        "Vertically mirror": lambda: [row[::-1] for row in rows],
        "Horizontally mirror": lambda: rows[::-1],
        "Rotate": lambda: turned(rows, numbers[0] // 90),
        "Mirror the matrix along the diagonal": lambda: turned(rows[::-1], 1),
        "Mirror the matrix along the counterdiagonal": lambda: turned([row[::-1] for row in rows], 1),
        "Map each": lambda: [[numbers[1] if cell == numbers[0] else cell for cell in row] for row in rows],
        "Set all": lambda: [[0 if cell % numbers[0] == 0 else cell for cell in row] for row in rows],
        "Crop": lambda: [row[numbers[2] - 1 : numbers[3]] for row in rows[numbers[0] - 1 : numbers[1]]],
    }
    if removed := re.match(r"Remove every (\d+)-\w+ (row|column)", act):
        step, part = int(removed[1]), removed[2]
        if part == "row":
            return [row for number, row in enumerate(rows, start=1) if number % step]
        return [[cell for number, cell in enumerate(row, start=1) if number % step] for row in rows]
    names = [name for name in ways if act.startswith(name)]
    return ways[max(names, key=len)]() if names else None


def color_cube_rotation(question: str, answer: str) -> bool:
    colors = {side: color for color, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    rings = {
        "front": ["front", "top", "back", "bottom"],
        "back": ["back", "top", "front", "bottom"],
        "right": ["right", "top", "left", "bottom"],
        "left": ["left", "top", "right", "bottom"],
    }
    story, _, asks = question.split("side\n\n", 1)[1].rpartition("What")
    for side in re.findall(r"\b(front|right|back|left|bottom)\b[^.]*\btop\b", story):
        ring = rings.get(side, ["bottom", "front", "top", "back"])
        quarters = 1 if side in rings else 2
        colors |= {ring[(n + quarters) % 4]: colors[ring[n]] for n in range(4)}
    return colors[re.search(r"the (\w+) side", asks)[1]] == answer


def n_queens(question: str, answer: str) -> bool:
    filled = [line.split() for line in answer.splitlines()]
    size = len(filled)
    given = [line.split() for line in question.splitlines()[-size:]]
    queens = [(r, c) for r, row in enumerate(filled) for c, sign in enumerate(row) if sign == "Q"]
    lines = [
        {r for r, _ in queens},
        {c for _, c in queens},
        {r + c for r, c in queens},
        {r - c for r, c in queens},
    ]
    return len(queens) == size and all(len(line) == size for line in lines) and _fits(given, filled)


def kakurasu(question: str, answer: str) -> bool:
    sums = [integers(numbers) for numbers in re.findall(r"\[[\d, ]+\]", question)[:2]]
    filled = grid(answer)
    lines = (filled, [*zip(*filled, strict=True)])
    weighted = [[sum(n * cell for n, cell in enumerate(line, start=1)) for line in way] for way in lines]
    return weighted == sums and {cell for line in filled for cell in line} <= {0, 1}
