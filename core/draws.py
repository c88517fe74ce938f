"""Seeded random draws that are the same on every machine, with every Python version and hash seed.

Python guarantees only that ``random.Random(n).random()`` never changes, so every other draw is derived from
it here.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of random draws, named by a path.

    Streams of different paths are independent: drawing more from one never changes another.
    """

    def __init__(self, *path: bytes | int | str) -> None:
        self._path = "\0".join(map(_part, path))
        digest = hashlib.sha256(self._path.encode()).digest()
        self.share: Callable[[], float] = random.Random(int.from_bytes(digest, "big")).random
        """Draws a number in [0, 1). For speed it is an attribute, not a method: a world draws some 25,000."""

    def at(self, *path: int | str) -> Draws:
        """Return the stream whose path is this stream's, extended by ``path``."""
        return Draws(self._path, *path)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.share() < probability

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number from ``low`` to ``high``, both included."""
        return low + int(self.share() * (high - low + 1))

    def log_whole(self, low: int, high: int) -> int:
        """Draw like ``whole``, but log-uniformly: 1 to 10 is as likely as 10 to 100."""
        drawn = math.exp(math.log(low) + self.share() * (math.log(high + 1) - math.log(low)))
        return min(max(int(drawn), low), high)

    def pick(self, options: Sequence[T]) -> T:
        """Draw one option, each with the same probability."""
        return options[int(self.share() * len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Draw one option in proportion to its weight."""
        left = self.share() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            left -= weight
            if left < 0:
                return option
        return options[-1]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return the options in random order."""
        mixed = list(options)
        for last in range(len(mixed) - 1, 0, -1):
            other = int(self.share() * (last + 1))
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Draw ``count`` distinct options, in random order. Raises ``ValueError`` if there are fewer."""
        if count > len(options):
            raise ValueError(f"{count} of {len(options)} options cannot be drawn")
        return self.shuffled(options)[:count]


def _part(part: bytes | int | str) -> str:
    return part.hex() if isinstance(part, bytes) else str(part)
