"""Checks that the examples in a reasoning-gym puzzle determine its answer.

The package's generators never ask whether another rule would also explain the examples. An item is left out
if an equally simple rule leads to another answer or if the examples show no change at all:

- ``number_sequence``: the rules with the fewest steps give different next terms, or no rule of up to two
  steps explains the sequence (one in 20);
- ``list_functions``: the rule may be that a list is sorted or that it ends in a multiple of ten (one in
  1,000);
- ``arc_1d``: a row may move by a fixed number of cells, by one cell where there is room, or to the end (one
  in 70);
- ``rearc``: no example changes (an eighth), the task's own verifier, by which Re-ARC itself selects generated
  items, refuses a grid (one in 20), or another task's verifier explains the examples and leads to another
  answer (one in 50).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product

Numbers = list[int]
Grid = tuple[tuple[int, ...], ...]
Pair = tuple[Numbers, Numbers]
Step = Callable[[int, int], int]

ADDED_MAX = 20
FACTOR_MAX = 10
STEPS_MAX = 2
MOVED_MAX = 4
LIST_EXAMPLE = re.compile(r"Input \d+: (\[.*\])\nOutput \d+: (\[.*\])")
LIST_TEST = re.compile(r"^Input: (\[.*\])", re.MULTILINE)
ROW = re.compile(r"^(?:Input: +|Output: +|)(\d+(?: \d+)+)$", re.MULTILINE)
GRID = re.compile(r"(?:Input|Output):\n([\d \n]+)")


def _steps() -> Iterator[Step]:
    yield lambda last, _before: last * last
    yield lambda last, _before: last // 2
    yield lambda last, before: last + before
    for number in range(-ADDED_MAX, ADDED_MAX + 1):
        yield lambda last, _before, number=number: last + number  # type: ignore[misc]
    for number in range(-FACTOR_MAX, FACTOR_MAX + 1):
        yield lambda last, _before, number=number: last * number  # type: ignore[misc]


STEPS = tuple(_steps())


def is_sequence_settled(question: str, answer: str) -> bool:
    terms = [int(term) for term in question.replace("?", "").split(",") if term.strip()]
    for length in range(1, STEPS_MAX + 1):
        following = {_next_term(terms, steps) for steps in product(STEPS, repeat=length)} - {None}
        if following:
            return following == {int(answer)}
    return False


def _next_term(terms: Numbers, steps: Iterable[Step]) -> int | None:
    """Return the term that follows the last one, or None unless the steps lead from each term to the next."""
    value = 0
    for place, term in enumerate(terms):
        value = term
        for step in steps:
            value = step(value, terms[place - 1] if place else 0)
        if terms[place + 1 : place + 2] not in ([], [value]):
            return None
    return value


def is_list_settled(question: str, answer: str) -> bool:
    pairs = [(json.loads(given), json.loads(result)) for given, result in LIST_EXAMPLE.findall(question)]
    test = LIST_TEST.search(question)
    rules: tuple[Callable[[Numbers], Numbers], ...] = (
        lambda numbers: [int(numbers == sorted(numbers))],
        lambda numbers: [int(numbers[-1] % 10 == 0)],
    )
    return test is not None and _agree(rules, pairs, (json.loads(test[1]), json.loads(answer)))


def is_row_settled(question: str, answer: str) -> bool:
    *rows, test = ([int(cell) for cell in row.split()] for row in ROW.findall(question))
    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    has_change = any(given != result for given, result in pairs)
    return has_change and _agree(ROW_RULES, pairs, (test, [int(cell) for cell in answer.split()]))


def _agree(rules: Iterable[Callable[[Numbers], Numbers]], pairs: Iterable[Pair], test: Pair) -> bool:
    """Return whether every rule that explains all pairs also explains the test pair."""
    return all(
        rule(test[0]) == test[1] for rule in rules if all(rule(given) == result for given, result in pairs)
    )


def _gathered(row: Numbers) -> Numbers:
    return sorted(row, key=lambda cell: cell == 0)


def _stepped(row: Numbers) -> Numbers:
    cells = [*row]
    for index in range(1, len(cells)):
        if cells[index - 1] == 0:
            cells[index - 1], cells[index] = cells[index], 0
    return cells


ROW_RULES: tuple[Callable[[Numbers], Numbers], ...] = (
    _gathered,
    _stepped,
    lambda row: _gathered(row[::-1])[::-1],
    lambda row: _stepped(row[::-1])[::-1],
    *(lambda row, by=by: row[by:] + row[:by] for by in range(-MOVED_MAX, MOVED_MAX + 1) if by),
)


def is_grid_settled(question: str, answer: str, task: str) -> bool:
    """Return whether the examples determine the answer according to the verifiers.

    The task's own verifier must confirm all examples and the answer, and no other verifier that confirms the
    examples may give another answer.
    """
    from reasoning_gym.arc.rearc_utils import verifiers  # type: ignore[import-untyped]

    *grids, test = (_grid(text) for text in GRID.findall(question))
    pairs = sorted(zip(grids[::2], grids[1::2], strict=True), key=lambda pair: sum(map(len, pair[0])))
    own = getattr(verifiers, f"verify_{task}")
    others = (verifier for name, verifier in vars(verifiers).items() if name.startswith("verify_"))
    return (
        any(given != result for given, result in pairs)
        and all(_outcome(own, given) == result for given, result in pairs)
        and all(
            _outcome(verifier, test) == _grid(answer)
            for verifier in (own, *others)
            if all(_outcome(verifier, given) == result for given, result in pairs)
        )
    )


def _outcome(verifier: Callable[[Grid], Grid], given: Grid) -> Grid | None:
    try:
        return verifier(given)
    except Exception:  # noqa: BLE001  # another task's verifier may raise anything here
        return None


def _grid(text: str) -> Grid:
    return tuple(tuple(map(int, line.split())) for line in text.strip().splitlines())
