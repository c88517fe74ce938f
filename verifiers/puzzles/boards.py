"""Puzzles with many right answers, which are checked against the board or by playing them."""

from __future__ import annotations

from verifiers.puzzles.normal_forms import cells
from verifiers.puzzles.rule import Puzzle

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
WALL, PLAYER, BOX, GOAL = "+", "*%", "@$", "X%$"

Place = tuple[int, int]


def queens(puzzle: Puzzle, answer: str) -> bool | None:
    """Accept any of the generator's solutions, which are all the completions of the given board."""
    return cells(answer) in {cells(board) for board in puzzle.facts["valid_answers"]}


def sokoban(puzzle: Puzzle, answer: str) -> bool | None:
    """Play the moves: each must be possible, and after the last one every box must be on a goal."""
    if set(answer) - set(MOVES):
        return None
    rows = [row.split() for row in puzzle.facts["gamestr"].strip().split("\n")]
    floor = {
        (row, column): sign
        for row, signs in enumerate(rows)
        for column, sign in enumerate(signs)
        if sign != WALL
    }
    boxes = {place for place, sign in floor.items() if sign in BOX}
    goals = {place for place, sign in floor.items() if sign in GOAL}
    (player,) = (place for place, sign in floor.items() if sign in PLAYER)
    for move in answer:
        ahead = _neighbour(player, MOVES[move])
        if ahead not in floor:
            return False
        if ahead in boxes:
            behind = _neighbour(ahead, MOVES[move])
            if behind not in floor or behind in boxes:
                return False
            boxes = boxes - {ahead} | {behind}
        player = ahead
    return boxes <= goals


def palindrome(puzzle: Puzzle, answer: str) -> bool | None:
    """Accept any palindrome that uses exactly the given letters."""
    letters = answer.lower()
    return letters == letters[::-1] and sorted(letters) == sorted(puzzle.facts["letters"])


def _neighbour(place: Place, step: Place) -> Place:
    return place[0] + step[0], place[1] + step[1]
