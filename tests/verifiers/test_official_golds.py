"""Every official gold at hand is accepted in any formatting, and other items' golds are refused."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifiers import registry
from verifiers.answer_text import list_boxes
from verifiers.types import Evidence, Gold

registry.discover()

DATA = Path(__file__).parents[3] / "shared" / "data"
PAIRS = 2000
DRESSES = {
    "as it is": lambda gold: gold,
    "dollars": lambda gold: f"${gold}$",
    "box": lambda gold: f"\\boxed{{{gold}}}",
    "sentence": lambda gold: f"The answer is {gold}.",
    "spaces": lambda gold: f"  {gold} ",
    "display fractions": lambda gold: gold.replace("\\frac", "\\dfrac"),
    "plain fractions": lambda gold: re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", gold),
    "typographic minus": lambda gold: gold.replace("-", "\u2212"),
    "no thin spaces": lambda gold: gold.replace(",\\!", ","),
}
SAME_BUT_FOR_SIGNS = re.compile(r"\\text\{.*?\}|\\mbox\{.*?\}|\^2|[\\$%{}^ ]|circ")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not on this machine"),
]


def rows(path: Path) -> Iterator[dict[str, str]]:
    yield from map(json.loads, path.read_text().splitlines())


def golds_of(benchmark: str) -> list[str]:
    if benchmark == "gsm8k":
        return [row["answer"].rpartition("####")[2].strip() for row in rows(DATA / "gsm8k/train.jsonl")]
    if benchmark == "math500":
        return [row["answer"] for row in rows(DATA / "math500/test.jsonl")]
    contents = [list_boxes(row["solution"]) for row in rows(DATA / "math/train.jsonl")]
    return [content[-1][2] for content in contents if content]


def is_correct(verifier_id: str, gold: str, answer: str) -> bool:
    return registry.run(verifier_id, gold=Gold(gold), evidence=Evidence(answer)).correct


VERIFIERS_AND_BENCHMARKS = [
    ("numeric-v1", "gsm8k"),
    ("math-v1", "math"),
    ("math-v1", "math500"),
    ("math_strict-v1", "math"),
    ("math_strict-v1", "math500"),
]


@pytest.mark.parametrize(("verifier_id", "benchmark"), VERIFIERS_AND_BENCHMARKS)
@pytest.mark.parametrize("dress", DRESSES)
def test_a_gold_is_accepted_in_every_formatting(verifier_id: str, benchmark: str, dress: str) -> None:
    refused = [
        gold for gold in golds_of(benchmark) if not is_correct(verifier_id, gold, DRESSES[dress](gold))
    ]
    assert not refused


@pytest.mark.parametrize(("verifier_id", "benchmark"), VERIFIERS_AND_BENCHMARKS)
def test_the_gold_of_another_item_is_refused(verifier_id: str, benchmark: str) -> None:
    golds = sorted(set(golds_of(benchmark)))
    rng = random.Random(2)
    pairs = [rng.sample(golds, 2) for _ in range(PAIRS)]
    accepted = [(left, right) for left, right in pairs if is_correct(verifier_id, left, right)]
    assert not [pair for pair in accepted if len({SAME_BUT_FOR_SIGNS.sub("", gold) for gold in pair}) > 1]
