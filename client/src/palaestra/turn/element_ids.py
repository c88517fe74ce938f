"""Numbers of an episode's elements; each step records the keys of the new ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

KEYS_MAX_CHARS = 100_000
"""Maximum characters of keys in one step; the rest follow with the next."""


class ElementIds:
    """``numbers`` maps the keys of elements to their numbers, from 1 in the order of assignment.

    A key is a hash, without blanks, of what identifies an element. Pages add to ``numbers``.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._shown = 0
        self._recorded = 0

    def adopt(self, keys: Iterable[str]) -> None:
        """Continue from the recorded keys, in order."""
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = self._recorded = len(self.numbers)

    def restore(self, keys: Iterable[str]) -> None:
        """Assign numbers to exactly a parent's keys, in order.

        Keys that the parent recorded after the point of the fork are recorded again, with the fork's steps.
        """
        self.numbers.clear()
        for key in keys:
            self.numbers.setdefault(key, len(self.numbers) + 1)
        self._shown = len(self.numbers)

    def show(self) -> None:
        """Note that the model is shown all numbers assigned so far."""
        self._shown = len(self.numbers)

    def take(self) -> str | None:
        """Return the keys that were shown but not yet recorded, by number, and mark them as recorded.

        None if there are none.
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
