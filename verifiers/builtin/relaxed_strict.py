"""Relaxed accuracy without its leniency on years and small counts: what a policy is trained against.

Five percent (ChartQA's official rule, see ``relaxed-v1``) accepts any year of a century and any neighbour
of a count of twenty or more. Here integers under 100 and years are exact, in percent too.
"""

from __future__ import annotations

from verifiers.answer_text import gold_answers, judged, unparsable
from verifiers.builtin import relaxed
from verifiers.registry import verifier
from verifiers.types import Evidence, Example, Gold, Verdict

EXACT_BELOW = 100
YEARS = range(1000, 2200)


@verifier(
    "relaxed_strict-v1",
    title="Relaxed accuracy, years and small integers exact",
    examples=[
        Example(gold="Abc", answer="abc", correct=True),
        Example(gold="2009", answer="2009", correct=True),
        Example(gold="21", answer="21.0", correct=True),
        Example(gold="54.3", answer="55", correct=True),
        Example(gold="4500", answer="4600", correct=True),
        Example(gold="0.45", answer="45%", correct=True),
        Example(gold="2009", answer="2010", correct=False),
        Example(gold="21", answer="22", correct=False),
        Example(gold="-21", answer="-22", correct=False),
        Example(gold="96%", answer="97%", correct=False),
        Example(gold="54.3", answer="60", correct=False),
    ],
)
def relaxed_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """As ``relaxed-v1``, and equal in value where the gold is a year or an integer under 100."""
    text = relaxed.answer_text(evidence)
    if text is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    correct = any(_is_right(target.strip(), text) for target in gold_answers(gold))
    return judged(correct, gold=gold.answer, answer=text)


def _is_right(gold: str, text: str) -> bool:
    if not relaxed.is_near(gold, text):
        return False
    return not _is_exact(gold) or relaxed.number(gold) == relaxed.number(text)


def _is_exact(gold: str) -> bool:
    written = relaxed.number(gold.rstrip("%"))
    if written is None or not written.is_integer():
        return False
    return abs(written) < EXACT_BELOW or int(written) in YEARS
