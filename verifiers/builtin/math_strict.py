"""Equivalent and finished mathematics: what a policy is trained against."""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("math_strict-v1", title="Equivalent and finished mathematics")
def math_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """As ``math-v1``, and the answer must leave no work that the gold has done. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=True)
