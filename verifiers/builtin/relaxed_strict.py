"""Relaxed accuracy without its leniency on years and small counts: what a policy is trained against.

Five percent (ChartQA's official rule, see ``relaxed-v1``) accepts any year of a century and any neighbour
of a count of twenty or more. Here integers under 100 and years are exact, in percent too.
"""

from __future__ import annotations

from verifiers.answer_text import gold_answers, judged, unparsable
from verifiers.builtin import relaxed
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

EXACT_BELOW = 100
YEARS = range(1000, 2200)


@verifier("relaxed_strict-v1", title="Relaxed accuracy, years and small integers exact")
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
