"""Puzzles with drawn rectangles, stones and words."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.tasks_app.second_answers.reading import Place, beside, distances

OUTLINE = {" ": 0, "#": 1, "█": 2}
SIDE_MIN = 3


def tsumego(question: str, answer: str) -> bool:
    """Check that the answer is Black's only capture with one stone, or the largest if that is asked."""
    rows = re.findall(r"^ ?(\d+) ([.XO](?: [.XO])*)$", question, re.MULTILINE)
    stones = {(int(row), column): sign for row, line in rows for column, sign in enumerate(line.split())}
    moves = {
        f"{chr(ord('A') + column)}{row}": len(_captured(stones, (row, column)))
        for (row, column), sign in stones.items()
        if sign == "."
    }
    captures = {move: count for move, count in moves.items() if count}
    if "as many white stones as possible" in question:
        captures = {move: count for move, count in captures.items() if count == max(captures.values())}
    return set(captures) == {answer}


def _captured(stones: dict[Place, str], move: Place) -> set[Place]:
    board = stones | {move: "X"}
    white = {place for place, sign in board.items() if sign == "O"}
    groups = (set(distances(white, [place])) for place in beside(move) if place in white)
    return set().union(
        *(
            group
            for group in groups
            if all(board.get(near) != "." for place in group for near in beside(place))
        )
    )


def rectangle_count(question: str, answer: str) -> bool:
    """Check the fewest rectangles that make the picture; two that cross could also be four that touch."""
    lines = question.split("grid below?\n")[1].split("\n")
    cells = {(r, c): OUTLINE[sign] for r, line in enumerate(lines) for c, sign in enumerate(line)}
    return _fewest({place: count for place, count in cells.items() if count}, {}) == int(answer)


def _fewest(left: dict[Place, int], known: dict[frozenset[tuple[Place, int]], float]) -> float:
    """Count the fewest rectangles that make what is left; its topmost, leftmost cell is a corner of one."""
    if not left:
        return 0
    key = frozenset(left.items())
    if key not in known:
        outlines = [outline for outline in _outlines(left, min(left)) if outline <= left.keys()]
        known[key] = 1 + min(
            (_fewest(_without(left, outline), known) for outline in outlines), default=math.inf
        )
    return known[key]


def _without(left: dict[Place, int], outline: set[Place]) -> dict[Place, int]:
    fewer = {place: count - (place in outline) for place, count in left.items()}
    return {place: count for place, count in fewer.items() if count}


def _outlines(left: dict[Place, int], corner: Place) -> Iterator[set[Place]]:
    top, start = corner
    for _, end in _run(left, corner, (0, 1)):
        for bottom, _ in _run(left, corner, (1, 0)):
            sides = {(row, column) for row in range(top, bottom + 1) for column in (start, end)}
            yield sides | {(row, column) for row in (top, bottom) for column in range(start, end + 1)}


def _run(left: dict[Place, int], start: Place, step: Place) -> list[Place]:
    """Return the places along a line, from the third one to the line's end."""
    places = []
    row, column = start
    while (row, column) in left:
        places.append((row, column))
        row, column = row + step[0], column + step[1]
    return places[SIDE_MIN - 1 :]


def figlet_font(question: str, answer: str) -> bool:
    """Check that a font draws the word like this, but no word that differs in one letter."""
    picture = _trimmed(question.split("\n", 1)[1])
    fonts = [font for font in _fonts() if _drawn(font, answer) == picture]
    others = [
        answer[:place] + letter + answer[place + 1 :]
        for place, right in enumerate(answer)
        for letter in string.ascii_uppercase
        if letter != right
    ]
    return bool(fonts) and not any(_drawn(font, other) == picture for font in fonts for other in others)


def _drawn(font: Any, word: str) -> str:
    return _trimmed(font.renderText(" ".join(word)))


@cache
def _fonts() -> list[Any]:
    import pyfiglet

    return [pyfiglet.Figlet(font=name) for name in pyfiglet.FigletFont.getFonts()]


def _trimmed(picture: str) -> str:
    """Remove white space at line ends, and empty lines before and after."""
    return re.sub(r"[^\S\n]+$", "", picture, flags=re.MULTILINE).strip("\n")
