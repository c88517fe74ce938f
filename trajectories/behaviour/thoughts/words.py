"""Words and numbers of a sentence, as the rules compare them with what was shown and said before."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

# Digits that letters touch are part of a name: "e14".
WORD = re.compile(r"(?<![^\W_])\d+(?:[.,]\d+)*|[^\W\d_]+\d*(?:['’][^\W\d_]+)?")
# Enough to tell words apart, and the same for "roll", "rolls" and "rolled".
STEM_CHARS = 5
CACHED_CHARS = 200
_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
STOP = frozenset(_LISTS["stop"].split())
NUMBERS = {word: str(value) for value, word in enumerate(_LISTS["numbers"].split())}


def stems(text: str) -> list[str]:
    """Return the content words in order: numbers as digits, others folded and cut to their beginning."""
    words = (word.replace("’", "'") for word in WORD.findall(text.casefold()))
    return [_stem(word) for word in words if word not in STOP]


def numbers(text: str) -> set[str]:
    """Return the numbers in a text as digits; number words count from two on."""
    return {one for word in WORD.findall(text.casefold()) if (one := _number(word))}


def pairs(content: Iterable[str]) -> set[tuple[str, str]]:
    return set(pairwise(content))


class Known:
    """Words, pairs and numbers seen so far in task, pages and thoughts; it grows during an episode."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.numbers: set[str] = set()
        self._lines: set[str] = set()

    def add(self, text: str) -> None:
        """Add a text's lines. Repeated lines cost nothing: pages repeat most of theirs."""
        for line in text.splitlines():
            if line in self._lines:
                continue
            self._lines.add(line)
            content, values = _line(line) if len(line) <= CACHED_CHARS else (stems(line), numbers(line))
            self.words.update(content)
            self.pairs.update(pairwise(content))
            self.numbers.update(values)

    def share(self, content: list[str]) -> float:
        """Return the share of the words that occurred before."""
        return sum(word in self.words for word in content) / len(content) if content else 0.0

    def pair_share(self, content: list[str]) -> float:
        """Return the share of the words that belong to a pair of neighbours seen before."""
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
    """Return the digits of a number word; empty for others, and for "one", which is mostly a pronoun."""
    if word[0].isdecimal():
        plain = word.replace(",", "")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return NUMBERS.get(word, "") if word not in ("one", "zero") else ""


@lru_cache(maxsize=4096)
def _line(line: str) -> tuple[list[str], set[str]]:
    return stems(line), numbers(line)
