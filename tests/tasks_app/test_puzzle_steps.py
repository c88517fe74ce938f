"""Solutions of generated puzzles: each step is true, and the last has the answer."""

from __future__ import annotations

import importlib.util
import re
from itertools import islice

import pytest

from tasks_app.benchmarks._reasoning_gym_items import Source, _offered_levels
from tasks_app.benchmarks.reasoning_gym import DERIVATIONS, derive_solution
from tests.tasks_app.second_answers.reading import value
from verifiers.puzzles.rules import RULES

SEED, ITEMS = 20_261_129, 4
SOLVED_SHARE = 0.6
EQUATION = re.compile(r"([\d.+*/() -]*\d\)?) = ([-\d.+*/() ]*\d)")
SUM = "State the final answer to the following arithmetic problem: {} ="


@pytest.mark.parametrize(
    ("dataset", "question", "answer", "steps"),
    [
        ("chain_sum", SUM.format("4 - 3 + 7"), "8", ["4 - 3 = 1", "1 + 7 = 8"]),
        ("decimal_chain_sum", SUM.format("0.1 + 0.2 + 1"), "1.3", ["0.1 + 0.2 = 0.3", "0.3 + 1 = 1.3"]),
        ("basic_arithmetic", "Calculate -( -4 - -7 ).", "-3", ["-4 - (-7) = 3", "-(3) = -3"]),
        ("prime_factorization", "Find the prime factorization of 12.", "2 × 2 × 3", None),
        (
            "isomorphic_strings",
            "Are they?\nab cc",
            "False",
            ["a becomes c.", "b would become c, but a becomes c."],
        ),
        ("number_filtering", "Remove all numbers larger than 3 in this list: ['4', '3']", "['3']", None),
        ("spell_backward", "Spell this word backward (example: sun -> nus): ab", "ba", None),
    ],
)
def test_steps_are_what_a_person_would_write(
    dataset: str, question: str, answer: str, steps: list[str] | None
) -> None:
    solution = derive_solution(dataset, question, answer).split("\n")
    assert solution[: len(steps or ())] == (steps or [])
    assert answer in solution[-1]


@pytest.mark.parametrize(
    ("dataset", "question", "answer"),
    [
        ("chain_sum", SUM.format("4 - 3 + 7"), "9"),
        ("chain_sum", "What is the sum of all that?", "9"),
        ("chain_sum", SUM.format("4 - (3"), "1"),
        ("prime_factorization", "Find the prime factorization of 12.", "2 × 5"),
        ("gcd", "Find the Greatest Common Divisor (GCD) of these numbers: 12, 18.", "5"),
        ("gcd", "Which one is it?", "5"),
        ("isomorphic_strings", "Are they?\nab c", "True"),
        ("sudoku", "Solve this.", "1"),
    ],
)
def test_a_way_that_does_not_lead_to_the_gold_is_none(dataset: str, question: str, answer: str) -> None:
    assert derive_solution(dataset, question, answer) == ""


def test_every_derivation_is_of_a_dataset_that_is_offered() -> None:
    assert set(DERIVATIONS) <= set(RULES)


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("reasoning_gym") is None, reason="reasoning-gym is not installed"
)
@pytest.mark.parametrize("dataset", DERIVATIONS)
def test_equations_hold_and_most_items_have_steps(dataset: str) -> None:
    solved = 0
    items = [
        item
        for level in _offered_levels(dataset)
        for item in islice(Source(dataset, level, seed=SEED, seen=set()).items, ITEMS)
    ]
    for item in items:
        solution = derive_solution(dataset, item["question"], item["answer"])
        solved += bool(solution)
        assert item["answer"] in solution or not solution
        for line in solution.split("\n"):
            for match in EQUATION.finditer(line.replace("×", "*")):
                assert value(match[1]) == value(match[2]), line
    assert solved >= SOLVED_SHARE * len(items)
