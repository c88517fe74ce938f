"""The numbers of an episode's elements; each step records the keys of newly numbered elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

KEYS_MAX_CHARS = 100_000
"""The maximum number of characters of keys in one step; the remaining keys follow with the next step."""


class ElementIds:
    """The numbers of elements: ``numbers`` maps keys to numbers, from 1 in the order of assignment.

    A key is a hash, without blanks, of an element's identity. Pages add to ``numbers``.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._shown = 0
        self._recorded = 0

    def adopt(self, keys: Iterable[str]) -> None:
        """Continue from the recorded ``keys``, which are in order."""
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = self._recorded = len(self.numbers)

    def restore(self, keys: Iterable[str]) -> None:
        """Number exactly the parent's ``keys``, in order.

        Keys that the parent recorded after the step at which the fork begins are recorded again, with the
        fork's steps.
        """
        self.numbers.clear()
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = len(self.numbers)

    def show(self) -> None:
        """Note that the model has been shown all numbers assigned so far."""
        self._shown = len(self.numbers)

    def take(self) -> str | None:
        """Return the keys that were shown but not yet recorded, by number, and mark them as recorded.

        Returns None if there are no such keys.
        """
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
    """Return the keys in recorded steps."""
    return [key for step in steps for key in (step.get("element_ids") or "").split()]
