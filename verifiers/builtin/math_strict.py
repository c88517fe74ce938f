"""Equivalent and finished mathematics: what a policy is trained against."""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Example, Gold, Verdict


@verifier(
    "math_strict-v1",
    title="Equivalent and finished mathematics",
    examples=[
        Example(gold="\\frac{1}{2}", answer="0.5", correct=True),
        Example(gold="x^2+3x+2", answer="2 + 3x + x^2", correct=True),
        Example(gold="(a+5)(b+2)", answer="(b+2)(a+5)", correct=True),
        Example(gold="2 \\frac{1}{3}", answer="7/3", correct=True),
        Example(gold="3 \\cdot 10^{8}", answer="300000000", correct=True),
        Example(gold="\\frac{1 + \\sqrt{5}}{2}", answer="\\frac12 + \\frac{\\sqrt5}{2}", correct=True),
        Example(gold="7", answer="3 + 4", correct=False),
        Example(gold="42", answer="84/2", correct=False),
        Example(gold="\\frac{1}{2}", answer="\\sin 30^\\circ", correct=False),
        Example(gold="120", answer="5!", correct=False),
        Example(gold="x^2+3x+2", answer="(x+1)(x+2)", correct=False),
        Example(gold="(a+5)(b+2)", answer="ab+2a+5b+10", correct=False),
        Example(gold="2 \\sin b \\cos a", answer="\\sin(a+b) - \\sin(a-b)", correct=False),
    ],
)
def math_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """As ``math-v1``, and the answer must leave no work that the gold has done. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=True)
