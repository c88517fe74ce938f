"""Puzzles that are solved by moves, which are carried out here on the position in the question."""

from __future__ import annotations

import itertools
import json
import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator

from tests.tasks_app.second_answers.reading import Place, distances

Point = tuple[int, int, int]
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def signs_at(rows: Iterable[Iterable[str]]) -> dict[Place, str]:
    return {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row)}


def shortest_path(question: str, answer: str) -> bool:
    signs = signs_at(line.split() for line in question.split("following grid:")[1].strip().splitlines())
    place, goal = (next(place for place, sign in signs.items() if sign == mark) for mark in "*#")
    free = {place for place, sign in signs.items() if sign != "X"}
    steps = distances(free, [place])
    if answer == "infeasible" or goal not in steps:
        return answer == "infeasible" and goal not in steps
    words = answer.split()
    for word in words:
        place = (place[0] + STEPS[word][0], place[1] + STEPS[word][1])
        if place not in free:
            return False
    return place == goal and len(words) == steps[goal]


def sokoban(question: str, answer: str) -> bool:
    rows = question.split("puzzle:\n")[-1].splitlines()
    signs = {place: sign for place, sign in signs_at(row.split() for row in rows).items() if sign != "+"}
    boxes = {place for place, sign in signs.items() if sign in "@$"}
    goals = {place for place, sign in signs.items() if sign in "X$%"}
    (row, column), *_ = [place for place, sign in signs.items() if sign in "*%"]
    for down, right in (STEPS[{"U": "up", "D": "down", "L": "left", "R": "right"}[move]] for move in answer):
        row, column = row + down, column + right
        if (row, column) in boxes:
            boxes.remove((row, column))
            boxes.add((row + down, column + right))
        if (row, column) not in signs or not boxes <= set(signs) or len(boxes) < len(goals):
            return False
    return boxes == goals


def rush_hour(question: str, answer: str) -> bool:
    signs = signs_at(question.split("Board:\n")[1].splitlines())
    for name, sign, number in re.findall(r"(\w)([+-])(\d)", answer):
        car = {place for place, letter in signs.items() if letter == name}
        is_upright = len({column for _, column in car}) == 1
        for _ in range(int(number)):
            by = 1 if sign == "+" else -1
            moved = {(r + by * is_upright, c + by * (not is_upright)) for r, c in car}
            if any(signs.get(place) not in (".", name) for place in moved):
                return False
            signs |= dict.fromkeys(car, ".") | dict.fromkeys(moved, name)
            car = moved
    edge = max(column for _, column in signs)
    return any(letter == "A" and column == edge for (_, column), letter in signs.items())


def jugs(question: str, answer: str) -> bool:
    sizes = {name: int(size) for name, size in re.findall(r"([A-Z]):(\d+)", question)}
    target = int(re.search(r"target is: (\d+)", question)[1])
    levels = dict.fromkeys(sizes, 0)
    for act, one, _, other in re.findall(r'"(\w+) (\w)(->(\w))?"', answer):
        if act == "pour":
            poured = min(levels[one], sizes[other] - levels[other])
            levels[one], levels[other] = levels[one] - poured, levels[other] + poured
        else:
            levels[one] = sizes[one] if act == "fill" else 0
    return target in levels.values()


def tower_of_hanoi(question: str, answer: str) -> bool:
    disks = int(re.search(r"with (\d+) disks", question)[1])
    start, target = re.search(r"from Peg (\d+) to Peg (\d+)", question).groups()
    pegs = {str(number): [] for number in range(1, int(re.search(r"(\d+) pegs", question)[1]) + 1)}
    pegs[start] = [*range(disks, 0, -1)]
    for disk, one, other in (re.findall(r"\d+", line) for line in answer.splitlines()):
        if pegs[one][-1:] != [int(disk)] or min(pegs[other], default=disks + 1) < int(disk):
            return False
        pegs[other].append(pegs[one].pop())
    return len(pegs[target]) == disks


def knight_swap(question: str, answer: str) -> bool:
    """Check that the moves swap the knights; if the answer is no, check that no sequence of moves does."""
    board: dict[Place, str] = {}
    for line in re.findall(r"^\d+ \|.*", question, re.MULTILINE):
        row = int(line.split()[0])
        cells = line.split("|")[1:-1]
        board |= {(row, column): cell.strip() for column, cell in enumerate(cells) if cell.strip()}
    sides = tuple(frozenset(place for place, sign in board.items() if sign == side) for side in "wB")
    turn = "wB".index(re.search(r"(\w) moves first", question)[1])
    if answer == "No":
        return sides[::-1] not in {state[:2] for state in _reached((*sides, turn), _knights(set(board)))}
    for side, *move in (word.split(",") for word in json.loads(answer)):
        one, other = ((int(name[1:]), ord(name[0]) - ord("A")) for name in move)
        moved = list(sides)
        moved[turn] = sides[turn] - {one} | {other}
        if "wB".index(side) != turn or (*moved, 1 - turn) not in _knights(set(board))((*sides, turn)):
            return False
        sides, turn = tuple(moved), 1 - turn
    first = tuple(frozenset(place for place, sign in board.items() if sign == side) for side in "Bw")
    return sides == first


def _knights(squares: set[Place]) -> Callable[[Hashable], Iterator[Hashable]]:
    def moves(state: Hashable) -> Iterator[Hashable]:
        white, black, turn = state
        own = (white, black)[turn]
        free = squares - white - black
        for (row, column), (down, right) in itertools.product(own, ((1, 2), (2, 1))):
            for up, left in itertools.product((1, -1), repeat=2):
                place = (row + up * down, column + left * right)
                if place in free:
                    after = own - {(row, column)} | {place}
                    yield (after, black, 1) if turn == 0 else (white, after, 0)

    return moves


def _reached(start: Hashable, moves: Callable[[Hashable], Iterable[Hashable]]) -> set[Hashable]:
    states, queue = {start}, deque([start])
    while queue:
        for state in moves(queue.popleft()):
            if state not in states:
                states.add(state)
                queue.append(state)
    return states


def quantum_lock(question: str, answer: str) -> bool:
    """Check that the presses reach the target and that no shorter sequence does."""
    start, light = re.search(r"Start: (-?\d+) \((\w+)\)", question).groups()
    target = int(re.search(r"Target: (-?\d+)", question)[1])
    buttons = {name: rest for name, *rest in re.findall(r"(\w): (\w+) (\d+) \(when (\w+)\)", question)}
    presses = answer.split(" → ")
    states = {(int(start), light)}
    for _ in presses[1:]:
        states = {_pressed(state, button) for state in states for button in buttons.values()}
        if any(value == target for value, _ in states):
            return False
    state = (int(start), light)
    for name in presses:
        state = _pressed(state, buttons[name])
    return state[0] == target


def _pressed(state: tuple[int, str], button: list[str]) -> tuple[int, str]:
    (value, light), (act, number, when) = state, button
    results = {"Add": value + int(number), "Subtract": value - int(number), "Multiply": value * int(number)}
    return (results[act] if when in ("any", light) else value), "green" if light == "red" else "red"


def word_ladder(question: str, answer: str) -> bool:
    """Check that one letter changes at each step, without looking up whether the words are English."""
    words = answer.split(",")
    changes = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(words)]
    return [words[0], words[-1]] == re.findall(r"'(\w+)'", question)[:2] and set(changes) == {1}


def rubiks_cube(question: str, answer: str) -> bool:
    """Fold the net to stickers in space, and check that each side has one color after the turns."""
    net = re.findall(r"^ *((?:[ROYGBW] +)+)$", question, re.MULTILINE)
    size = len(net) // 3
    lines = [line.split() for line in net]
    parts = {"U": lines[:size], "D": lines[2 * size :]}
    parts |= {
        side: [line[n * size : (n + 1) * size] for line in lines[size:-size]] for n, side in enumerate("LFRB")
    }
    cube = {
        _sticker(side, 2 * r - size + 1, 2 * c - size + 1, size): color
        for side, rows in parts.items()
        for r, row in enumerate(rows)
        for c, color in enumerate(row)
    }
    for move in answer.split():
        for _ in range(3 if move.endswith("'") else 1):
            cube = {_turned(place, move[0], size): color for place, color in cube.items()}
    sides = {next((n, place[n]) for n in range(3) if abs(place[n]) == size): set() for place in cube}
    for place, color in cube.items():
        sides[next((n, place[n]) for n in range(3) if abs(place[n]) == size)].add(color)
    return all(len(colors) == 1 for colors in sides.values())


def _sticker(side: str, row: int, column: int, size: int) -> Point:
    """Return the position of a sticker: x to the right, y up, z towards the viewer."""
    return {
        "U": (column, size, row),
        "D": (column, -size, -row),
        "F": (column, -row, size),
        "B": (-column, -row, -size),
        "R": (size, -row, -column),
        "L": (-size, -row, column),
    }[side]


def _turned(place: Point, side: str, size: int) -> Point:
    """Turn a sticker a quarter clockwise, seen from outside, if it is on the layer of that side."""
    axis, sign = "RUFLDB".index(side) % 3, 1 if side in "RUF" else -1
    if sign * place[axis] < size - 1:
        return place
    turned, after, last = [*place], (axis + 1) % 3, (axis + 2) % 3
    turned[after], turned[last] = sign * place[last], -sign * place[after]
    return tuple(turned)
