"""Rubik's cube, turned sticker by sticker.

Moves are written as for the package's cube (magiccube): a face (with ``w`` for two layers), a middle slice or
a rotation of the whole cube, then ``'`` for the other direction, then a count. Positions are measured from
the cube's centre in half cells, and a sticker lies half a cell outside its piece.
"""

from __future__ import annotations

import re

from verifiers.puzzles.rule import Puzzle

MOVE = re.compile(r"(?:([LRDUBF])(w?)|([MESXYZ]))('?)([123]?)", re.ASCII)
AXES = {name: axis for axis, names in enumerate(("LRMX", "DUEY", "BFSZ")) for name in names}
FIRST_LAYERS = "LDB"
# These faces turn opposite to the direction from the first to the second of the other two axes.
BACKWARD = "RDFESXZ"

Place = tuple[int, int, int]
Cube = dict[Place, tuple[int, bool]]
"""The face to which each sticker belongs, by the sticker's position."""


def rubiks_cube(puzzle: Puzzle, answer: str) -> bool | None:
    """Apply the scramble and the answer to the cube, after which every face must have a single colour."""
    moves = answer.split()
    if not all(map(MOVE.fullmatch, moves)):
        return None
    size = int(puzzle.facts["cube_size"])
    cube = _make_solved(size)
    for move in (*str(puzzle.facts["scramble_moves"]).split(), *moves):
        cube = _turn(cube, move, size=size)
    faces: dict[tuple[int, bool], set[tuple[int, bool]]] = {}
    for place, colour in cube.items():
        faces.setdefault(_face(place, size=size), set()).add(colour)
    return all(len(colours) == 1 for colours in faces.values())


def undo_moves(moves: str) -> str:
    """Invert a sequence of moves, each of which is a face with or without ``'``."""
    return " ".join(move[:-1] if move.endswith("'") else f"{move}'" for move in reversed(moves.split()))


def _make_solved(size: int) -> Cube:
    inside = range(1 - size, size, 2)
    places: list[Place] = []
    for outside in (-size, size):
        for first in inside:
            for second in inside:
                places += [(outside, first, second), (first, outside, second), (first, second, outside)]
    return {place: _face(place, size=size) for place in places}


def _face(place: Place, *, size: int) -> tuple[int, bool]:
    axis = next(axis for axis in range(3) if abs(place[axis]) == size)
    return axis, place[axis] > 0


def _turn(cube: Cube, move: str, *, size: int) -> Cube:
    match = MOVE.fullmatch(move)
    if match is None:
        raise ValueError(f"{move} is not a move")
    name = match[1] or match[3]
    axis, layers = AXES[name], _layers(name, is_wide=bool(match[2]), size=size)
    sense = (-1 if name in BACKWARD else 1) * (-1 if match[4] else 1)
    for _ in range(int(match[5] or 1)):
        cube = {
            _rotate(place, axis=axis, sense=sense)
            if _layer(place[axis], size=size) in layers
            else place: colour
            for place, colour in cube.items()
        }
    return cube


def _layers(name: str, *, is_wide: bool, size: int) -> range:
    if name in "XYZ":
        return range(size)
    if name in "MES":
        return range(size // 2, size // 2 + 1)
    depth = 2 if is_wide else 1
    return range(depth) if name in FIRST_LAYERS else range(size - depth, size)


def _layer(coordinate: int, *, size: int) -> int:
    """Return the layer of a sticker's piece."""
    return (max(1 - size, min(size - 1, coordinate)) + size - 1) // 2


def _rotate(place: Place, *, axis: int, sense: int) -> Place:
    first, second = (other for other in range(3) if other != axis)
    turned = list(place)
    turned[first], turned[second] = -sense * place[second], sense * place[first]
    return turned[0], turned[1], turned[2]
