"""math-v1 and math_strict-v1 on our own pairs of gold and answer, kind by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.tables import toml_load
from verifiers import registry
from verifiers.types import Evidence, Gold

registry.discover()

KINDS: list[dict[str, Any]] = toml_load(Path(__file__).with_name("math_pairs.toml"), dict[str, Any])["kinds"]
EQUAL = [(kind["name"], gold, answer) for kind in KINDS for gold, answer in kind["equal"]]
UNEQUAL = [(kind["name"], gold, answer) for kind in KINDS for gold, answer in kind["unequal"]]


def is_correct(verifier_id: str, gold: str, answer: str) -> bool:
    return registry.run(verifier_id, gold=Gold(gold), evidence=Evidence(answer)).correct


@pytest.mark.parametrize(("kind", "gold", "answer"), EQUAL)
def test_pairs_that_mean_the_same_are_correct(kind: str, gold: str, answer: str) -> None:
    assert is_correct("math-v1", gold, answer), kind


@pytest.mark.parametrize(("kind", "gold", "answer"), UNEQUAL)
@pytest.mark.parametrize("verifier_id", ["math-v1", "math_strict-v1"])
def test_pairs_that_only_look_alike_are_incorrect(
    verifier_id: str, kind: str, gold: str, answer: str
) -> None:
    assert not is_correct(verifier_id, gold, answer), kind


@pytest.mark.parametrize(("kind", "gold"), sorted({(kind, gold) for kind, gold, _ in EQUAL + UNEQUAL}))
def test_a_gold_is_its_own_right_answer(kind: str, gold: str) -> None:
    assert is_correct("math-v1", gold, gold), kind
