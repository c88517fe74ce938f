"""ChartQA's relaxed accuracy: numbers within five percent, anything else equal but for case.

Source: google-research/pix2struct, ``metrics.py`` (``relaxed_correctness``), after the ChartQA paper
(Masry et al. 2022). ``96%`` is the number 0.96; a number with commas is not a number; a gold of 0 is compared
as text. Any year within a century of the gold's passes: a known weakness, fixed in ``relaxed_strict-v1``.
"""

from __future__ import annotations

import math

from verifiers.answer_text import gold_answers, judged, short_answer, unparsable
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

MOST_RELATIVE_CHANGE = 0.05


@verifier("relaxed-v1", title="Relaxed accuracy")
def relaxed(gold: Gold, evidence: Evidence) -> Verdict:
    """Relative change of at most 0.05 where both are numbers, equality after lower-casing otherwise."""
    text = answer_text(evidence)
    if text is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    return judged(any(is_near(target, text) for target in gold_answers(gold)), gold=gold.answer, answer=text)


def answer_text(evidence: Evidence) -> str | None:
    """The one answer as written; None unless there is exactly one readable answer."""
    if short_answer(evidence) is None:
        return None
    return (evidence.answer if isinstance(evidence.answer, str) else evidence.answer[0]).strip()


def is_near(gold: str, text: str) -> bool:
    """The official rule for one gold and one answer."""
    target, prediction = number(gold), number(text)
    if prediction is not None and target:
        return abs(prediction - target) / abs(target) <= MOST_RELATIVE_CHANGE
    return text.lower() == gold.strip().lower()


def number(text: str) -> float | None:
    """The finite number that the text is, a percentage as its hundredth; None when it is not one."""
    try:
        value = float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
