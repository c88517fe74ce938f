"""Equivalent and finished mathematics: the verifier that policies are trained against."""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("math_strict-v1", title="Equivalent and finished mathematics")
def math_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """Judge as ``math-v1`` does, but reject answers that leave work undone. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=True)
