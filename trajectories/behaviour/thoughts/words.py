"""The words and numbers of a sentence, in the form in which the rules compare them with earlier text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

# Digits next to letters are part of a name, such as "e14".
WORD = re.compile(r"(?<![^\W_])\d+(?:[.,]\d+)*|[^\W\d_]+\d*(?:['’][^\W\d_]+)?")
# Long enough to distinguish most words, and short enough that "compares" and "comparing" have the same stem.
STEM_CHARS = 5
CACHED_CHARS = 200
_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
STOP = frozenset(_LISTS["stop"].split())
NUMBERS = {word: str(value) for value, word in enumerate(_LISTS["numbers"].split())}


def stems(text: str) -> list[str]:
    """Return the content words of a text in order, with numbers as digits and other words cut to their stem.

    Words are case-folded, and a stem is a word's first ``STEM_CHARS`` characters.
    """
    words = (word.replace("’", "'") for word in WORD.findall(text.casefold()))
    return [_stem(word) for word in words if word not in STOP]


def numbers(text: str) -> set[str]:
    """Return the numbers in a text as digits; number words count only from "two" upwards."""
    return {one for word in WORD.findall(text.casefold()) if (one := _number(word))}


def pairs(content: Iterable[str]) -> set[tuple[str, str]]:
    return set(pairwise(content))


class Known:
    """The words, pairs and numbers that have occurred in an episode's task, pages and thoughts so far."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.numbers: set[str] = set()
        self._lines: set[str] = set()

    def add(self, text: str) -> None:
        """Add the lines of a text. Lines seen before are skipped, since pages repeat most of their lines."""
        for line in text.splitlines():
            if line in self._lines:
                continue
            self._lines.add(line)
            content, values = _line(line) if len(line) <= CACHED_CHARS else (stems(line), numbers(line))
            self.words.update(content)
            self.pairs.update(pairwise(content))
            self.numbers.update(values)

    def share(self, content: list[str]) -> float:
        """Return the share of the given words that occurred before."""
        return sum(word in self.words for word in content) / len(content) if content else 0.0

    def pair_share(self, content: list[str]) -> float:
        """Return the share of the given words that belong to a pair of neighbours seen before."""
        if len(content) < 2:
            return self.share(content)
        covered = {
            place
            for first, pair in enumerate(pairwise(content))
            if pair in self.pairs
            for place in (first, first + 1)
        }
        return len(covered) / len(content)


def _stem(word: str) -> str:
    return _number(word) or NUMBERS.get(word) or word[:STEM_CHARS]


def _number(word: str) -> str:
    """Return a number or number word as digits, or an empty string for any other word.

    "One" and "zero" count as other words, because "one" is mostly a pronoun.
    """
    if word[0].isdecimal():
        plain = word.replace(",", "")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return NUMBERS.get(word, "") if word not in ("one", "zero") else ""


@lru_cache(maxsize=4096)
def _line(line: str) -> tuple[list[str], set[str]]:
    return stems(line), numbers(line)
