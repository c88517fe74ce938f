"""Equivalent mathematics: numbers, expressions, lists, intervals, matrices, equations, words.

Accepts what the graders of MATH accept (hendrycks/math ``is_equiv``, math-verify). Refuses answers that list
several candidates, bury the value in prose with other numbers, or contain an unreadable formula.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("math-v1", title="Equivalent mathematics")
def math(gold: Gold, evidence: Evidence) -> Verdict:
    """Compare the answer's form and value with the gold's. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=False)
