"""Right answers to puzzles where reasoning-gym 0.1.25's own answers do not follow from the question.

The independent solvers in ``tests/tasks_app/second_answers.py`` found these faults:

- ``decimal_arithmetic`` rounds every intermediate result to the number of digits that the question requests
  for the final one (a twelfth of the items);
- ``family_relationships``: see ``_kinship.py``;
- ``mahjong_puzzle`` answers ``Pass`` or ``Chi`` where the generator drew the card for that result, even if
  the card achieves more, and it overlooks sequences that include a card held twice (a sixth);
- ``number_filtering`` writes a number the way an equal one is written earlier in the list, such as 481 for
  481.0;
- ``number_format`` writes the number with an error in digits that the question does not show (a seventh);
- ``syllogism`` draws conclusions that do not follow (a seventh);
- ``time_intervals`` loses a thousandth of a second (half of the items that ask for thousandths).

An item is left out where the question itself is at fault:

- ``calendar_arithmetic`` prints the wrong year for dates after the turn of the year;
- the decoding hint of ``emoji_mystery`` yields an extra byte for some emoji;
- the conclusion in ``syllogism`` may depend on whether "All" implies that any exist;
- ``string_manipulation`` removes "the middle character" of strings of even length (a quarter of the items;
  all items with that rule are left out);
- the answer to ``tsumego`` captures nothing (a sixth) or is one of several moves that capture (a tenth);
- in ``quantum_lock``, an inactive button toggles the light according to the question but not in the scorer,
  which changes the shortest sequence (a third).

Puzzles whose examples allow another rule are in ``_puzzle_rules.py``.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from tasks_app.benchmarks import _kinship, _puzzle_rules

LONG = Context(prec=200)
DIGITS = re.compile(r"maximum of (\d+) significant digits")
FILTER = re.compile(r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])")
CANDIDATES = re.compile(r"pick the (largest|smallest) number of the following candidates: (.*)")
CARDS = re.compile(r"initial cards ([A-Z]+)")
ROUND = re.compile(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card")
NEIGHBORS = ((-2, -1), (-1, 1), (1, 2))
DATE = re.compile(r"(\w+day), (\w+) (\d{1,2})(?:, (\d{4}))?")
GO_ROW = re.compile(r"^ ?(\d+) ([.XO](?: [.XO])*)$", re.MULTILINE)
GO_COLUMNS = string.ascii_uppercase
EMOJI = re.compile(r"from the emoji: (.*)")
STATEMENT = re.compile(r"(All|No|Some) (\w+) are (not )?(\w+)")
LOCK = re.compile(r"Start: (-?\d+) \((\w+)\)\nTarget: (-?\d+)")
BUTTON = re.compile(r"\w: (Add|Subtract|Multiply) (\d+) \(when (\w+)\)")
MILLISECONDS = re.compile(r":\d\d\.(\d{3})")
SELECTORS = ((0xFE00, 0xFE0F, 0), (0xE0100, 0xE01EF, 16))


def decimal_arithmetic(question: str, _answer: str, _dataset: Any) -> str:
    """Return the exact value, rounded once at the end, half up."""
    digits = DIGITS.search(question)
    if digits is None:
        return ""
    exact = _value(ast.parse(question.rstrip().splitlines()[-1].partition("=")[0].strip(), mode="eval").body)
    long = LONG.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return str(Context(prec=int(digits[1]), rounding=ROUND_HALF_UP).plus(long))


def _value(node: ast.expr) -> Fraction:
    """Evaluate an expression as the generator writes it. Raises ``ValueError`` for any other syntax."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        for kind, result in (
            (ast.Add, left + right),
            (ast.Sub, left - right),
            (ast.Mult, left * right),
            (ast.Div, left / right if right else left),
        ):
            if isinstance(node.op, kind):
                return result
    raise ValueError(f"no arithmetic: {ast.dump(node)}")


def number_filtering(question: str, _answer: str, _dataset: Any) -> str:
    match = FILTER.search(question)
    if match is None:
        return ""
    act, side, limit, numbers = match.groups()

    def is_on_side(number: str) -> bool:
        return Decimal(number) > Decimal(limit) if side == "larger" else Decimal(number) < Decimal(limit)

    return str([number for number in ast.literal_eval(numbers) if is_on_side(number) == (act == "Keep")])


def number_format(question: str, _answer: str, _dataset: Any) -> str:
    """Return the number as shown, without thousands separators, exponent and trailing zeros."""
    match = CANDIDATES.search(question)
    if match is None:
        return ""
    numbers = [Decimal(number.replace(",", "")) for number in match[2].split()]
    number = max(numbers) if match[1] == "largest" else min(numbers)
    return f"{number.normalize(LONG):f}"


def mahjong_puzzle(question: str, _answer: str, _dataset: Any) -> str:
    cards, rounds = CARDS.search(question), ROUND.findall(question)
    if cards is None or not rounds:
        return ""
    hand = list(cards[1])
    *earlier, (last, _) = rounds
    for added, removed in earlier:
        hand.remove(removed)
        hand.append(added)
    if hand.count(last) >= 2:
        return "Peng"
    is_sequence = any({chr(ord(last) + a), chr(ord(last) + b)} <= set(hand) for a, b in NEIGHBORS)
    return "Chi" if is_sequence else "Pass"


def family_relationships(question: str, _answer: str, dataset: Any) -> str:
    return _kinship.answer(question, women=set(dataset.config.female_names))


def syllogism(question: str, _answer: str, _dataset: Any) -> str:
    """Return ``Yes`` if the conclusion follows, else ``No``.

    The answer is empty if it depends on whether a kind has any members.
    """
    *premises, conclusion = STATEMENT.findall(question)
    kinds = sorted({kind for _, subject, _, other in (*premises, conclusion) for kind in (subject, other)})
    beings = [frozenset(some) for count in range(len(kinds) + 1) for some in combinations(kinds, count)]
    worlds = [world for count in range(len(beings) + 1) for world in combinations(beings, count)]
    counters = [
        world
        for world in worlds
        if all(_holds(premise, world) for premise in premises) and not _holds(conclusion, world)
    ]
    if any(all(any(kind in being for being in world) for kind in kinds) for world in counters):
        return "No"
    return "" if counters else "Yes"


def _holds(statement: tuple[str, str, str, str], world: Iterable[frozenset[str]]) -> bool:
    quantity, subject, negation, other = statement
    are_other = [other in being for being in world if subject in being]
    if quantity == "All":
        return all(are_other)
    if quantity == "No":
        return not any(are_other)
    return any(is_other != bool(negation) for is_other in are_other)


def time_intervals(question: str, answer: str, _dataset: Any) -> str:
    """Return the answer with the thousandth of a second that the package may have lost."""
    first, last = (int(part) for part in (MILLISECONDS.findall(question) or ["0", "0"])[:2])
    if not answer.count(".") or (last - first - int(answer[-3:])) % 1000 == 0:
        return answer
    whole, _, rest = answer.rpartition(":")
    seconds = Decimal(rest) + Decimal("0.001")
    is_carried = seconds >= 60 or (last - first) % 1000 != int(seconds * 1000) % 1000
    return "" if is_carried else f"{whole}:{seconds:06.3f}"


ANSWERS: Mapping[str, Callable[[str, str, Any], str]] = {
    function.__name__: function
    for function in (
        decimal_arithmetic,
        family_relationships,
        mahjong_puzzle,
        number_filtering,
        number_format,
        syllogism,
        time_intervals,
    )
}


def is_calendar_sound(question: str, _answer: str) -> bool:
    """Return whether every date falls on the weekday that is written before it."""
    dates = DATE.findall(question)
    years = [year for *_, year in dates if year]
    for weekday, month, day, year in dates:
        written = f"{month} {day} {year or years[-1]}" if years else ""
        try:
            if written and datetime.strptime(written, "%B %d %Y").strftime("%A") != weekday:  # noqa: DTZ007
                return False
        except ValueError:  # Not a date after all, as in "Monday, Tuesday 12".
            continue
    return True


def is_emoji_sound(question: str, answer: str) -> bool:
    """Return whether decoding as the hint says gives the answer."""
    emoji = EMOJI.search(question)
    codes = [ord(char) for char in emoji[1][1:]] if emoji else []
    data = [
        code - first + offset for code in codes for first, last, offset in SELECTORS if first <= code <= last
    ]
    return bytes(data).decode(errors="replace") == answer


def is_tsumego_sound(question: str, answer: str) -> bool:
    """Return whether no other move captures, or captures as many where the most stones are wanted."""
    rows = GO_ROW.findall(question)
    board = {f"{GO_COLUMNS[x]}{row}": sign for row, signs in rows for x, sign in enumerate(signs.split())}
    captures = {point: _captured(board, point) for point, sign in board.items() if sign == "."}
    least = max(captures.values(), default=0) if "as many white stones as possible" in question else 1
    return [point for point, count in captures.items() if count >= max(least, 1)] == [answer]


def _captured(board: Mapping[str, str], move: str) -> int:
    """Count the white stones that a black move captures."""
    taken: set[str] = set()
    for start in _points_beside(move):
        group, edge = {start}, [start]
        if board.get(start) != "O":
            continue
        while edge:
            near = {point for point in _points_beside(edge.pop()) if board.get(point) == "O"} - group
            group |= near
            edge += near
        liberties = {near for point in group for near in _points_beside(point) if board.get(near) == "."}
        if liberties == {move}:
            taken |= group
    return len(taken)


def _points_beside(point: str) -> list[str]:
    column, row = GO_COLUMNS.index(point[0]), int(point[1:])
    neighbors = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
    return [f"{GO_COLUMNS[x]}{y}" for x, y in neighbors if 0 <= x < len(GO_COLUMNS)]


def is_lock_sound(question: str, answer: str) -> bool:
    """Return whether no sequence as short as the answer uses a button that only toggles the light."""
    lock, buttons = LOCK.search(question), BUTTON.findall(question)
    if lock is None:
        return False
    states = {(int(lock[1]), lock[2] == "green", False)}
    for _ in answer.split(" → "):
        states = {_pressed(*state, *button) for state in states for button in buttons}
        if (int(lock[3]), True) in {(value, has_toggled) for value, _, has_toggled in states}:
            return False
    return True


def _pressed(
    value: int, is_green: bool, has_toggled: bool, act: str, number: str, light: str
) -> tuple[int, bool, bool]:
    if light not in ("any", "green" if is_green else "red"):
        return value, not is_green, True
    results = {"Add": value + int(number), "Subtract": value - int(number), "Multiply": value * int(number)}
    return results[act], not is_green, has_toggled


SOUND: Mapping[str, Callable[[str, str], bool]] = {
    "arc_1d": _puzzle_rules.is_row_settled,
    "calendar_arithmetic": is_calendar_sound,
    "emoji_mystery": is_emoji_sound,
    "list_functions": _puzzle_rules.is_list_settled,
    "number_sequence": _puzzle_rules.is_sequence_settled,
    "quantum_lock": is_lock_sound,
    "string_manipulation": lambda question, _answer: "middle character" not in question,
    "tsumego": is_tsumego_sound,
}


def correct_answer(name: str, question: str, answer: str, dataset: Any) -> str:
    """Return the right answer to an item, usually the package's own; empty if there is none."""
    if name in ANSWERS:
        return ANSWERS[name](question, answer, dataset)
    return answer if name not in SOUND or SOUND[name](question, answer) else ""
