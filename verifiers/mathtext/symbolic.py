"""Formulas beyond our grammar (sums, integrals, matrix arithmetic), compared by math-verify and sympy.

math-verify (huggingface/Math-Verify) reads LaTeX by a grammar, not by evaluating it. It reads leniently, so
it sees only formulas without prose that use what our grammar lacks.
"""

from __future__ import annotations

import re

BEYOND = re.compile(
    r"\\(?:sum|prod|int|lim|cdots|ldots|dots|begin|det|vec|hat|nabla|partial|mathbb|mathcal|bmod|pmod)(?![A-Za-z])"
)
PROSE = re.compile(r"(?<!\\)\b[A-Za-z]{3,}\b")
ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[a-z]*\}|\\[A-Za-z]+")


def is_beyond_grammar(text: str) -> bool:
    """Whether the text is a formula, without prose, that only math-verify can read."""
    return bool(BEYOND.search(text)) and not PROSE.search(ENVIRONMENT.sub(" ", text))


def same_by_math_verify(gold: str, answer: str) -> bool:
    """Whether math-verify reads both as formulas and finds them equal. May take long: call it in a child."""
    import math_verify  # 1.3 s to import: children have it preloaded, nobody else needs it

    config = [math_verify.LatexExtractionConfig()]
    parsed = [
        math_verify.parse(f"${text}$", config, fallback_mode="no_fallback", parsing_timeout=None)
        for text in (gold, answer)
    ]
    if not all(parsed):
        return False
    return bool(math_verify.verify(parsed[0], parsed[1], timeout_seconds=None))
