"""When two questions are so alike that one would give the other away."""

from __future__ import annotations

import re

NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
WORD = re.compile(r"[^\W\d_]+|#")
SHINGLE_WORDS = 3
NEAR = 0.25

Shingles = frozenset[tuple[str, ...]]


def shingles(text: str) -> Shingles:
    """Every three words in a row, in lower case, each number the same sign; all words of a shorter text."""
    words = WORD.findall(NUMBER.sub("#", text.lower()))
    return frozenset(
        tuple(words[place : place + SHINGLE_WORDS]) for place in range(max(1, len(words) - SHINGLE_WORDS + 1))
    )


def is_near(one: Shingles, other: Shingles) -> bool:
    """Whether the texts are near-duplicates: a quarter of their shingles is shared (Jaccard).

    Measured on all pairs: of 500 questions of GSM8K's training split one pair is near, a story told twice
    (0.28; the next pair has 0.16). Of 420 of MATH's 38 of 87,990 pairs are, from "Compute n over k" with
    other numbers (1.0) down to texts that only share a phrase. One example too many left out costs nothing,
    one too few costs the measurement.
    """
    return len(one & other) >= NEAR * len(one | other)
