"""Golds of generated puzzles, held against a second way to their answers."""

from __future__ import annotations

import importlib.util
from itertools import islice

import pytest

from tasks_app.benchmarks._reasoning_gym_items import Source, _offered_levels
from tests import coverage_choice
from tests.tasks_app.second_answers import CHECKS
from verifiers.puzzles.rules import RULES

ITEMS = 60 if coverage_choice.IS_WHOLE else 5
READ_SHARE = 0.2
SEED = 20_261_129

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("reasoning_gym") is None,
        reason="reasoning-gym is not installed: requirements-puzzles.txt",
    ),
]


def test_every_check_is_of_a_dataset() -> None:
    assert set(CHECKS) <= set(RULES)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_golds_follow_from_their_questions(name: str) -> None:
    results = []
    for level in _offered_levels(name):
        for item in islice(Source(name, level, seed=SEED, seen=set()).items, ITEMS):
            result = CHECKS[name](item["question"], item["answer"])
            assert result is not False, (item["question"], item["answer"])
            results.append(result)
    assert results.count(True) >= READ_SHARE * len(results)
