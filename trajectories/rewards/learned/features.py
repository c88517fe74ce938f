"""Features of an episode, computed from its facts and the policy's words as finite, bounded numbers.

A change that would give an episode different features needs a higher ``VERSION``. Models of another version
are not applied.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trajectories.behaviour.facts.behaviour import number_count, says_check
from trajectories.rewards.learned.types import Recorded

VERSION = 1
Floats = NDArray[np.float64]

SHARES = (
    *("confirmed", "no_effect", "different_effect", "unexplained"),
    *("invalid_actions", "loops", "backtracks", "page_changes"),
)
"""Columns of an episode's facts that count steps; each becomes a share of the episode's steps."""
FACTS = ("steps", *SHARES)
# Only letters count as words, because numbers and whole answers would identify a task.
WORD = re.compile(r"\b[a-z]{2,20}\b")
MARKUP = "*#`|_$\\"


def _words(one: Recorded) -> int:
    return sum(len(text.split()) for text in one.texts)


def _of_all(characters: str) -> Callable[[Recorded], float]:
    """Return a function that computes the share of an episode's characters that are among ``characters``."""

    def share(one: Recorded) -> float:
        count = sum(text.count(character) for text in one.texts for character in characters)
        return count / max(sum(map(len, one.texts)), 1)

    return share


def _of_steps(column: str) -> Callable[[Recorded], float]:
    def share(one: Recorded) -> float:
        facts = one.facts or {}
        return min((facts.get(column) or 0.0) / max(facts.get("steps") or 0.0, 1.0), 1.0)

    return share


MEASURES: Mapping[str, Callable[[Recorded], float]] = {
    "steps": lambda one: math.log1p((one.facts or {}).get("steps") or 0.0),
    "length": lambda one: math.log1p(_words(one)),
    "numbers": lambda one: min(sum(map(number_count, one.texts)) / max(_words(one), 1), 1.0),
    "checks": lambda one: sum(map(says_check, one.texts)) / max(len(one.texts), 1),
    "lines": _of_all("\n"),
    "markup": _of_all(MARKUP),
    **{column: _of_steps(column) for column in SHARES},
}


def words_of(one: Recorded) -> set[str]:
    """Return the distinct words in all completions, in lower case."""
    return {word for text in one.texts for word in WORD.findall(text.lower())}


def names_of(words: Sequence[str]) -> list[str]:
    """Return the names of the features in the order of the columns."""
    return [*MEASURES, *(f"word {word}" for word in words)]


def compute_features(recorded: Sequence[Recorded], words: Sequence[str]) -> Floats:
    """Return a row for each episode, with the measures and 1 for each word that occurs.

    Rows are not normalised by the number of words, because adding a word would then change the contribution
    of all others.
    """
    place = {word: len(MEASURES) + number for number, word in enumerate(words)}
    rows = np.zeros((len(recorded), len(MEASURES) + len(words)))
    for row, one in zip(rows, recorded, strict=True):
        row[: len(MEASURES)] = [measure(one) for measure in MEASURES.values()]
        row[[place[word] for word in words_of(one) if word in place]] = 1.0
    return rows
