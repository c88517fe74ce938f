"""Equivalent mathematics: numbers, expressions, lists, intervals, matrices, equations, words.

Follows what the graders of MATH accept (hendrycks/math ``is_equiv``, math-verify) and refuses what several
candidates, prose around other numbers or an unreadable formula would smuggle in.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Example, Gold, Verdict


@verifier(
    "math-v1",
    title="Equivalent mathematics",
    examples=[
        Example(gold="\\frac{1}{2}", answer="1/2", correct=True),
        Example(gold="\\frac43", answer="\\dfrac{4}{3}", correct=True),
        Example(gold="137 \\frac{1}{2}", answer="137.5", correct=True),
        Example(gold="\\frac{\\sqrt{3}}{3}", answer="1/sqrt(3)", correct=True),
        Example(gold="1,\\!296,\\!540", answer="1,296,540", correct=True),
        Example(gold="\\$30", answer="30 dollars", correct=True),
        Example(gold="27\\%", answer="27", correct=True),
        Example(gold="27\\%", answer="0.27", correct=True),
        Example(gold="50^{\\circ}", answer="50 degrees", correct=True),
        Example(gold="\\frac{\\pi}{6}", answer="30^\\circ", correct=True),
        Example(gold="x=5", answer="5", correct=True),
        Example(gold="5", answer="$x = 5$", correct=True),
        Example(gold="-2,1", answer="1 and -2", correct=True),
        Example(gold="3 \\pm 2 \\sqrt{2}", answer="3+2\\sqrt2, 3-2\\sqrt2", correct=True),
        Example(gold="(-\\infty, 2) \\cup (3, \\infty)", answer="x < 2 or x > 3", correct=True),
        Example(gold="x \\in [-2,7]", answer="-2 <= x <= 7", correct=True),
        Example(gold="\\begin{pmatrix} -7 \\\\ 16 \\end{pmatrix}", answer="(-7, 16)", correct=True),
        Example(gold="(a+5)(b+2)", answer="(b+2)(a+5)", correct=True),
        Example(gold="\\text{Evelyn}", answer="Evelyn", correct=True),
        Example(gold="\\text{(B)}", answer="B", correct=True),
        Example(gold="10001_2", answer="10001_{2}", correct=True),
        Example(gold="f(x)=2x", answer="f(t) = 2t", correct=True),
        Example(gold="2:3", answer="4:6", correct=True),
        Example(gold="12", answer="12 or 15", correct=False),
        Example(gold="15", answer="12, no 15", correct=False),
        Example(gold="12", answer="\\boxed{12} \\boxed{15}", correct=False),
        Example(gold="12", answer="not 12", correct=False),
        Example(gold="(0, 1]", answer="(0, 1)", correct=False),
        Example(gold="(1, 2)", answer="(2, 1)", correct=False),
        Example(gold="x > 5", answer="x \\ge 5", correct=False),
        Example(gold="\\frac{1}{3}", answer="0.33", correct=False),
        Example(gold="2^{2008}-2", answer="2^{2008}", correct=False),
        Example(gold="|x|", answer="x", correct=False),
        Example(gold="10001_2", answer="17", correct=False),
        Example(gold="40\\text{ feet}", answer="40 inches", correct=False),
        Example(gold="7=11a+c", answer="11a+c", correct=False),
        Example(gold="12", answer="1\u00b2", correct=False),
        Example(gold="0", answer="__import__('os').system('true')", correct=False),
    ],
)
def math(gold: Gold, evidence: Evidence) -> Verdict:
    """Correct when the answer has the gold's form and value. Raises ``UnparsableGold``."""
    from verifiers.mathtext import equivalence  # loads mpmath

    return equivalence.judge(gold, evidence, strict=False)
