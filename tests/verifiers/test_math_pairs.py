"""math-v1 and math_strict-v1 on our own pairs of gold and answer, kind by kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from core.text.toml import toml_load
from verifiers import registry
from verifiers.types import Evidence, Gold

registry.discover()

KINDS: list[dict[str, Any]] = toml_load(Path(__file__).with_name("math_pairs.toml"), dict[str, Any])["kinds"]
Pairs = list[tuple[str, str]]
EACH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["name"]))


def correct(verifier_id: str, pairs: Iterable[tuple[str, str]]) -> Pairs:
    """The pairs of gold and answer that the verifier takes for the same."""
    return [
        (gold, answer)
        for gold, answer in pairs
        if registry.run(verifier_id, gold=Gold(gold), evidence=Evidence(answer)).correct
    ]


@EACH_KIND
def test_pairs_that_mean_the_same_are_correct(kind: dict[str, Any]) -> None:
    pairs = [(gold, answer) for gold, answer in kind["equal"]]
    assert correct("math-v1", pairs) == pairs


@EACH_KIND
@pytest.mark.parametrize("verifier_id", ["math-v1", "math_strict-v1"])
def test_pairs_that_only_look_alike_are_incorrect(verifier_id: str, kind: dict[str, Any]) -> None:
    assert correct(verifier_id, kind["unequal"]) == []


@EACH_KIND
def test_a_gold_is_its_own_right_answer(kind: dict[str, Any]) -> None:
    golds = sorted({gold for gold, _ in (*kind["equal"], *kind["unequal"])})
    assert correct("math-v1", zip(golds, golds, strict=True)) == [(gold, gold) for gold in golds]
