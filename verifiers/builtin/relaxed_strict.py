"""Relaxed accuracy without its leniency on years and small counts: what a policy is trained against.

Five percent (ChartQA's official rule, see ``relaxed-v1``) accepts any year of a century and any neighbour
of a count of twenty or more. Here integers under 100 and years are exact, in percent too.
"""

from __future__ import annotations

from verifiers.builtin import relaxed
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

EXACT_BELOW = 100
YEARS = range(1000, 2200)


@verifier("relaxed_strict-v1", title="Relaxed accuracy, years and small integers exact")
def relaxed_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """As ``relaxed-v1``, and equal in value where the gold is a year or an integer under 100."""
    return relaxed.judge(gold, evidence, _is_right)


def _is_right(gold: str, text: str) -> bool:
    gold = gold.strip()
    is_same = relaxed.number(gold) == relaxed.number(text)
    return relaxed.is_near(gold, text) and (is_same or not _is_exact(gold))


def _is_exact(gold: str) -> bool:
    written = relaxed.number(gold.rstrip("%"))
    if written is None or not written.is_integer():
        return False
    return abs(written) < EXACT_BELOW or int(written) in YEARS
