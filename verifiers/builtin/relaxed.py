"""ChartQA's relaxed accuracy: numbers within five percent, any other text equal ignoring case.

Source: google-research/pix2struct, ``metrics.py`` (``relaxed_correctness``), after the ChartQA paper (Masry
et al. 2022). ``96%`` is the number 0.96; a number with commas is not a number; a gold of 0 is compared as
text. Any year within a century of the gold's year passes, a known weakness that ``relaxed_strict-v1`` fixes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from verifiers.answer_text import gold_answers, make_verdict, short_answer, unparsable
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

MOST_RELATIVE_CHANGE = 0.05


@verifier("relaxed-v1", title="Relaxed accuracy")
def relaxed(gold: Gold, evidence: Evidence) -> Verdict:
    """Allow numbers a relative change of 0.05; compare anything else ignoring case."""
    return judge(gold, evidence, is_near)


def judge(gold: Gold, evidence: Evidence, is_right: Callable[[str, str], bool]) -> Verdict:
    """Judge the single answer, as written, by a rule that compares one gold with one answer."""
    if short_answer(evidence) is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    text = (evidence.answer if isinstance(evidence.answer, str) else evidence.answer[0]).strip()
    correct = any(is_right(target, text) for target in gold_answers(gold))
    return make_verdict(correct, gold=gold.answer, answer=text)


def is_near(gold: str, text: str) -> bool:
    """Apply the official rule to one gold and one answer."""
    target, prediction = number(gold), number(text)
    if prediction is not None and target:
        return abs(prediction - target) / abs(target) <= MOST_RELATIVE_CHANGE
    return text.lower() == gold.strip().lower()


def number(text: str) -> float | None:
    """Parse the text as a finite number, ``96%`` as 0.96; None if it is not a number."""
    try:
        value = float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
