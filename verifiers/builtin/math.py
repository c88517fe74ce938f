"""Equivalent mathematics: numbers, expressions, lists, intervals, matrices, equations, words.

Follows what the graders of MATH accept (hendrycks/math ``is_equiv``, math-verify) and refuses what several
candidates, prose around other numbers or an unreadable formula would smuggle in.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("math-v1", title="Equivalent mathematics")
def math(gold: Gold, evidence: Evidence) -> Verdict:
    """Compare form and value with the gold's. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=False)
