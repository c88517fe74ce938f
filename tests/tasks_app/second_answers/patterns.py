"""Puzzles whose rule is not stated; all rules that explain the examples must lead to the gold."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable

Numbers = list[int]
Step = Callable[[int, int], int]

DIVISOR_MAX = 20
GRID_ACTS: list[Callable[[int, int], int]] = [
    lambda x, y: x + y,
    lambda x, y: abs(x - y),
    lambda x, y: x * y,
    lambda x, y: x**y,
]
STEPS: list[Step] = [
    lambda last, _before: last * last,
    lambda last, _before: last // 2,
    lambda last, before: last + before,
    *(lambda last, _before, number=number: last + number for number in range(-20, 21)),
    *(lambda last, _before, number=number: last * number for number in range(-10, 11)),
]
LIST_RULES: list[Callable[[Numbers], Numbers]] = [
    lambda ns: ns,
    lambda ns: ns[::-1],
    sorted,
    lambda ns: sorted(ns)[::-1],
    lambda ns: [len(ns)],
    lambda ns: [sum(ns)],
    lambda ns: [sum({n for n in ns if n < 30})],
    lambda ns: [ns.count(5)],
    lambda ns: [n for n, after in itertools.pairwise(ns) if after % 2 == 0],
    lambda ns: [n + place for place, n in enumerate(ns)],
    lambda ns: [ns[ns[-1]]],
    lambda ns: [ns[2]],
    lambda ns: [ns[0] + 1, *ns[1:-1], ns[-1] + 1],
    lambda ns: [int(ns == sorted(ns))],
    lambda ns: [int(ns[-1] % 10 == 0)],
    lambda ns: [2 * ns[-1]],
    lambda ns: [2 * n - 4 for n in ns],
]


def number_sequence(question: str, answer: str) -> bool | None:
    """Check an answer with the simplest rules that explain the terms by the two terms before each."""
    terms = [int(term) for term in question.replace("?", "").split(",") if term.strip()]
    for length in (1, 2):
        nexts = {_continued(terms, steps) for steps in itertools.product(STEPS, repeat=length)} - {None}
        if nexts:
            return nexts == {int(answer)}
    return None


def _continued(terms: Numbers, steps: tuple[Step, ...]) -> int | None:
    """Return the next term; None unless the steps lead from every term to the next."""
    after = None
    for place, term in enumerate(terms):
        value = term
        for step in steps:
            value = step(value, terms[place - 1] if place else 0)
        if place + 1 < len(terms) and value != terms[place + 1]:
            return None
        after = value
    return after


def modulo_grid(question: str, answer: str) -> bool:
    """Check an answer with remainders of sums, differences, products and powers that explain the grid."""
    rows = question.split("\n\n")[1].split("\n")
    cells = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
    boards = set()
    for act, divisor in itertools.product(GRID_ACTS, range(1, DIVISOR_MAX + 1)):
        values = {place: act(*place) % divisor for place in cells}
        ticked = {values[place] for place, sign in cells.items() if sign == "✅"}
        for target in range(divisor) if not ticked else ticked if len(ticked) == 1 else ():
            signs = {place: "✅" if value == target else "❌" for place, value in values.items()}
            if all(sign in ("❔", signs[place]) for place, sign in cells.items()):
                boards.add("".join(signs.values()))
    return boards == {answer.replace("\n", "")}


def list_functions(question: str, answer: str) -> bool | None:
    examples = re.findall(r"Input \d+: (\[.*\])\nOutput \d+: (\[.*\])", question)
    pairs = [(json.loads(one), json.loads(other)) for one, other in examples]
    test = json.loads(re.search(r"^Input: (\[.*\])", question, re.MULTILINE)[1])
    rules = [rule for rule in LIST_RULES if all(_result(rule, one) == other for one, other in pairs)]
    results = [_result(rule, test) for rule in rules]
    return all(result == json.loads(answer) for result in results) if results else None


def _result(rule: Callable[[Numbers], Numbers], numbers: Numbers) -> Numbers | None:
    try:
        return rule(numbers)
    except IndexError:
        return None
