"""Rush Hour: cars on a six-by-six board, where the first car must reach the exit on the right.

The package skips impossible moves and continues, so a long random walk can solve a board without reading it;
here every move must be possible. Boards are written as in the package: 36 cells, ``o`` for a free cell and
``x`` for a wall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verifiers.puzzles.rule import Puzzle

SIDE = 6
EXIT = 2 * SIDE + SIDE - 2
FREE, WALL = "o", "x"
MOVE = re.compile(r"([A-Z])([+-])([1-5])", re.ASCII)
STATES_MAX = 60_000
"""Most states of a board that the search for a solution visits."""

State = tuple[int, ...]


@dataclass(frozen=True)
class Car:
    """A car of ``length`` cells that are ``stride`` apart: 1 in a row, ``SIDE`` in a column."""

    length: int
    stride: int

    def cells(self, start: int) -> range:
        return range(start, start + self.length * self.stride, self.stride)

    def mask(self, start: int) -> int:
        return sum(1 << cell for cell in self.cells(start))

    def next_start(self, start: int, step: int) -> int | None:
        """Return the car's start after one more step, or None if the car would leave the board."""
        last = start if step < 0 else start + (self.length - 1) * self.stride
        coordinate = last % SIDE if self.stride == 1 else last // SIDE
        return start + step * self.stride if 0 <= coordinate + step < SIDE else None


@dataclass(frozen=True)
class Board:
    cars: tuple[Car, ...]
    walls: int

    def moves(self, state: State) -> Iterator[tuple[int, int, State]]:
        """Yield each possible move: the car's number, how many cells it moves, and the resulting state."""
        taken = self.taken(state)
        for number, car in enumerate(self.cars):
            others = taken & ~car.mask(state[number])
            for step in (-1, 1):
                start: int | None = state[number]
                for cells in range(1, SIDE):
                    start = car.next_start(start, step) if start is not None else None
                    if start is None or car.mask(start) & others:
                        break
                    yield number, step * cells, (*state[:number], start, *state[number + 1 :])

    def taken(self, state: State) -> int:
        return self.walls | sum(car.mask(start) for car, start in zip(self.cars, state, strict=True))


def board_read(text: str) -> tuple[Board, State]:
    """Parse a board into its cars, in the order of their letters, and their starts."""
    places: dict[str, list[int]] = {}
    for cell, letter in enumerate(text):
        places.setdefault(letter, []).append(cell)
    walls = sum(1 << cell for cell in places.pop(WALL, []))
    places.pop(FREE, None)
    positions = [places[letter] for letter in sorted(places)]
    cars = tuple(Car(len(cells), cells[1] - cells[0]) for cells in positions)
    return Board(cars, walls), tuple(cells[0] for cells in positions)


def rush_hour(puzzle: Puzzle, answer: str) -> bool | None:
    """Play the moves: each must be possible, and after the last one the first car must be at the exit."""
    moves = [MOVE.fullmatch(word) for word in answer.split()]
    board, state = board_read(puzzle.facts["board_config"])
    for move in moves:
        if move is None:
            return None
        key = (ord(move[1]) - ord("A"), int(move[2] + move[3]))
        after = {(number, cells): reached for number, cells, reached in board.moves(state)}
        if key not in after:
            return False
        state = after[key]
    return state[0] == EXIT


def solution(text: str) -> str | None:
    """Find a shortest solution of a board; None if none is found within ``STATES_MAX`` states."""
    board, first = board_read(text)
    reached = {first: ""}
    queue = [first]
    for state in queue:
        if state[0] == EXIT:
            return reached[state].strip()
        if len(reached) > STATES_MAX:
            return None
        for number, cells, after in board.moves(state):
            if after not in reached:
                reached[after] = f"{reached[state]} {chr(ord('A') + number)}{cells:+d}"
                queue.append(after)
    return None
