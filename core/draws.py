"""Seeded draws that are the same on every machine, Python version and hash seed.

Python promises that ``random.Random(n).random()`` never changes, and no more: every other draw is made of it
here.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws named by a path; streams of different paths know nothing of each other.

    What is drawn at one place therefore never changes because another place draws more.
    """

    def __init__(self, *path: bytes | int | str) -> None:
        self._path = "\0".join(map(_part, path))
        digest = hashlib.sha256(self._path.encode()).digest()
        self.share: Callable[[], float] = random.Random(int.from_bytes(digest, "big")).random
        """A number from 0 to below 1. Not a method of its own: a world is some 25,000 of these."""

    def at(self, *path: int | str) -> Draws:
        """The stream of a place below this one."""
        return Draws(self._path, *path)

    def chance(self, probability: float) -> bool:
        return self.share() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.share() * (high - low + 1))

    def log_whole(self, low: int, high: int) -> int:
        """As ``whole``, with as many draws between 1 and 10 as between 10 and 100."""
        drawn = math.exp(math.log(low) + self.share() * (math.log(high + 1) - math.log(low)))
        return min(max(int(drawn), low), high)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.share() * len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        left = self.share() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            left -= weight
            if left < 0:
                return option
        return options[-1]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        mixed = list(options)
        for last in range(len(mixed) - 1, 0, -1):
            other = int(self.share() * (last + 1))
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """``count`` different ones of the options, in drawn order; ``ValueError`` when there are fewer."""
        if count > len(options):
            raise ValueError(f"{count} of {len(options)} options cannot be drawn")
        return self.shuffled(options)[:count]


def _part(part: bytes | int | str) -> str:
    return part.hex() if isinstance(part, bytes) else str(part)
