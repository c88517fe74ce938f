"""Puzzles with their golds, and the rules that judge answers to them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifiers.types import UnparsableGold

ANSWER_CHARS = 4_000
"""Most characters of an answer; a longer one is unparsable. Boards have several hundred characters."""


@dataclass(frozen=True)
class Puzzle:
    """One generated puzzle: its dataset, the generator's own answer, and other facts that a check needs."""

    dataset: str
    answer: str
    facts: Mapping[str, Any] = field(default_factory=dict)


Reading = Callable[[str], Hashable | None]
"""A function that returns an answer's normal form, or None if the answer does not have the required form."""

Rule = Callable[[Puzzle, str], bool | None]
"""A function that judges an answer; it returns None if the answer cannot be read."""


def same(reading: Reading) -> Rule:
    """Make a rule that accepts answers with the gold's normal form. The rule raises ``UnparsableGold``."""

    def rule(puzzle: Puzzle, answer: str) -> bool | None:
        gold = reading(puzzle.answer)
        if gold is None:
            raise UnparsableGold(f"{puzzle.dataset}: the gold does not have the form of an answer")
        given = reading(answer)
        return None if given is None else given == gold

    return rule


def restrict_shape(shape: str, rule: Rule) -> Rule:
    """Restrict a rule to answers that match ``shape``, a regular expression without flags."""
    pattern = re.compile(shape, re.ASCII)

    def checked(puzzle: Puzzle, answer: str) -> bool | None:
        return rule(puzzle, answer) if pattern.fullmatch(answer) else None

    return checked


def clean_answer(text: str) -> str | None:
    """Strip the text and convert its line ends to newlines; None if it is blank, too long or unprintable."""
    plain = text.replace("\r\n", "\n").strip()
    if not plain or len(plain) > ANSWER_CHARS:
        return None
    if any(char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cs"} for char in plain):
        return None
    return plain
