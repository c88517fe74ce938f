"""reasoning-gym: generated puzzles from the PyPI package's hundred datasets, by seed and difficulty.

Anyone with the package and the seed also has the answers, so nothing that a task shows reveals its seed: keys
are derived from the question. A seed for evaluation is a large number that the operator keeps secret.

The splits ``aiw_train`` and ``aiw_test`` hold one question type from one dataset, for small models that have
just started to learn: how many sisters a brother has, answered by one digit from 2 to 9. A hash of the
question decides which of the two splits it belongs to.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import GymError
from tasks_app import kinds, starters
from tasks_app.benchmarks import _steps_numbers as numbers
from tasks_app.benchmarks import _steps_texts as texts
from tasks_app.benchmarks._hash_split import SPLITS, split_of
from tasks_app.benchmarks._reasoning_gym import HIDDEN_TEXT, IN_LINES
from tasks_app.registry import benchmark_register
from tasks_app.solutions import lines
from tasks_app.types import BenchmarkPlugin, GoldDraft, Row, TaskDraft

SOURCE = "https://github.com/open-thought/reasoning-gym"
PACKAGE = "reasoning_gym"
ITEMS = "tasks_app.benchmarks._reasoning_gym_items"
ROOT = Path(__file__).resolve().parents[2]
KEY_DIGITS = 20
GENERATED = "generated"
SHORT = "aiw"
SHORT_TRAIN, SHORT_TEST = SHORT_SPLITS = tuple(f"{SHORT}_{split}" for split in SPLITS)
SHORT_LEVEL = 2
"""Level whose numbers go up to 8, so that every answer has one digit."""
SHORT_ITEMS_MAX = 10_000
"""Enough items to include nearly all of the 704 questions that name the brothers first."""
SHORT_ORDER = re.compile(r"\w+ has \d+ (brothers|sisters) ")


def generate(count: int, seed: int, split: str = GENERATED) -> Iterator[Row]:
    """Generate ``count`` items, or fewer if every dataset is exhausted; a higher count only adds items.

    Raises ``GymError`` ``unknown_split``, ``package_missing`` and ``generator_failed``.
    """
    if split == GENERATED:
        return _drafts(seed, count)
    if split not in SHORT_SPLITS:
        names = ", ".join((GENERATED, *SHORT_SPLITS))
        raise GymError("unknown_split", f"Puzzles have no split {split!r}, only {names}.", status=422)
    return islice(_short_drafts(seed, split), count)


def _short_drafts(seed: int, split: str) -> Iterator[TaskDraft]:
    """Alternate between questions that name brothers first and questions that name sisters first.

    The package names sisters first ten times as often, and then "the first number plus one" is nearly always
    right.
    """
    waiting = {order: deque[TaskDraft]() for order in ("brothers", "sisters")}
    for draft in _drafts(seed, SHORT_ITEMS_MAX, SHORT, str(SHORT_LEVEL)):
        order = SHORT_ORDER.match(draft.prompt)
        # The key is the dataset's name followed by the hash of the question.
        if order and f"{SHORT}_{split_of(draft.key.partition('/')[2])}" == split:
            waiting[order[1]].append(draft)
        if all(waiting.values()):
            yield from [drafts.popleft() for drafts in waiting.values()]


def _drafts(seed: int, count: int, *only: str) -> Iterator[TaskDraft]:
    """Yield what the generator process writes; ``only`` restricts it to a dataset and a level."""
    if find_spec(PACKAGE) is None:
        problem = "is not installed. Run pip install -r requirements-puzzles.txt, which says what it needs."
        raise GymError("package_missing", f"The package {PACKAGE} {problem}")
    process = subprocess.Popen(  # noqa: S603 (a fixed command)
        [sys.executable, "-m", ITEMS, str(seed), str(count), *only],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0", "MPLBACKEND": "agg"},
    )
    try:
        for number, line in enumerate(process.stdout or (), start=1):
            yield item_draft(json.loads(line), place=f"item {number}")
        if process.wait():
            raise GymError("generator_failed", f"The generator ended with status {process.returncode}.")
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def item_draft(item: Mapping[str, Any], *, place: str = "") -> TaskDraft:
    """Build a generated item's task. ``difficulty`` is the item's level within its dataset's curriculum."""
    name, level = str(item["dataset"]), item["level"]
    question, answer = str(item["question"]), str(item["answer"])
    highest = max(int(item["levels"]) - 1, 1)
    return TaskDraft(
        key=f"{name}/{hashlib.sha256(question.encode()).hexdigest()[:KEY_DIGITS]}",
        prompt=question,
        payload=_payload(name, question),
        gold=GoldDraft(
            answer=answer,
            solution=derive_solution(name, question, answer),
            extra={"dataset": name, "facts": item["facts"]},
            source=SOURCE,
        ),
        difficulty=None if level is None else level / highest,
        tags=(name, str(item["category"]), "default" if level is None else f"level-{level}"),
        gap_reason=HIDDEN_TEXT.get(name, ""),
        place=place,
    )


def _payload(name: str, question: str) -> dict[str, Any]:
    """Build the payload.

    Boards are drawn in columns, so they keep white space: ``layout`` ``preformatted``.
    """
    payload: dict[str, Any] = {"text": question, "format": "plain"}
    if is_drawn(question):
        payload["layout"] = "preformatted"
    if name in IN_LINES:
        payload["answer_lines"] = True
    return payload


def is_drawn(text: str) -> bool:
    """Return whether columns matter: repeated spaces, an indented line, or three lines of equal length."""
    lines = text.split("\n")
    if any("  " in line.strip() or (line.startswith(" ") and line.strip()) for line in lines):
        return True
    runs = zip(lines, lines[1:], lines[2:], strict=False)
    return any(1 < len(first) == len(second) == len(third) for first, second, third in runs)


def starter_items() -> Iterator[TaskDraft]:
    """Yield hand-written items in the generator's format."""
    for line in starters.find_path("reasoning_gym").read_text().splitlines():
        yield item_draft(json.loads(line), place="starter")


DERIVATIONS: Mapping[str, Callable[[str, str], list[str]]] = {
    "aiw": numbers.siblings,
    "base_conversion": numbers.base,
    "basic_arithmetic": numbers.expression,
    "caesar_cipher": texts.caesar,
    "chain_sum": numbers.expression,
    "count_bits": numbers.bits,
    "count_primes": numbers.primes,
    "decimal_chain_sum": numbers.expression,
    "fraction_simplification": numbers.fraction,
    "gcd": numbers.common_divisor,
    "isomorphic_strings": texts.isomorphic,
    "jugs": texts.jugs,
    "lcm": numbers.common_multiple,
    "letter_counting": texts.letters,
    "number_filtering": numbers.filtered,
    "number_sorting": texts.listed,
    "prime_factorization": numbers.factors,
    "products": numbers.expression,
    "ransom_note": texts.ransom,
    "simple_equations": numbers.equation,
    "spell_backward": texts.backward,
    "tower_of_hanoi": lambda _question, answer: answer.split("\n"),
    "word_sequence_reversal": texts.listed,
    "word_sorting": texts.listed,
}


def derive_solution(dataset: str, question: str, answer: str) -> str:
    """Derive the steps, one per line; empty if there are none or they do not end with the answer."""
    try:
        steps = DERIVATIONS[dataset](question, answer) if dataset in DERIVATIONS else []
    except (IndexError, ValueError):  # the question is worded differently
        return ""
    return "\n".join(steps) if steps and _ends_with(steps, answer) else ""


def _ends_with(steps: list[str], answer: str) -> bool:
    """Return whether the last step states the answer, or all steps together are the answer."""
    return steps[-1].rstrip(".").endswith(answer) or f" {answer} " in steps[-1] or "\n".join(steps) == answer


benchmark_register(
    BenchmarkPlugin(
        id="reasoning_gym",
        title="Reasoning Gym",
        kind=kinds.FREE_ANSWER,
        license="Apache-2.0",
        source=SOURCE,
        verifier_official="reasoning_gym-v1",
        splits=(GENERATED, *SHORT_SPLITS),
        starters=starter_items,
        generate=generate,
        cut=lines.cut,
    )
)
