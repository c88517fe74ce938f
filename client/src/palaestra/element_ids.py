"""The numbers of an episode's elements: with each step the keys of the new ones are recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

KEYS_MAX_CHARS = 100_000
"""As many characters of keys are recorded with one step; the rest follow with the next."""


class ElementIds:
    """``numbers`` are those of elements by their keys, from 1 in the order in which they were given out.

    A key is what an element is called, in a hash without blanks. Pages add to ``numbers``.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._shown = 0
        self._recorded = 0

    def adopt(self, keys: Iterable[str]) -> None:
        """Go on from the keys that are on record, in their order."""
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = self._recorded = len(self.numbers)

    def restore(self, keys: Iterable[str]) -> None:
        """Give out the numbers of a parent's keys, in their order, and no others. What the parent recorded
        with a later step than the fork has inherited is recorded again, with the fork's own."""
        self.numbers.clear()
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = len(self.numbers)

    def show(self) -> None:
        """Note that what is shown now has the numbers that there are now."""
        self._shown = len(self.numbers)

    def take(self) -> str | None:
        """The keys that were given out up to what is shown and are not on record yet, in the order of their
        numbers; None without any."""
        taken: list[str] = []
        room = KEYS_MAX_CHARS
        for key in islice(self.numbers, self._recorded, self._shown):
            room -= len(key) + 1
            if room < 0:
                break
            taken.append(key)
        self._recorded += len(taken)
        return " ".join(taken) or None


def keys_read(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys that recorded steps hold."""
    return [key for step in steps for key in (step.get("element_ids") or "").split()]
