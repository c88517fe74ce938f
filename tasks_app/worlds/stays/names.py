"""Names and numbers of listings and rooms, of which a world holds none twice."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.worlds.stays.vocabulary import Kind, Names

SIBLING_CHANCE = 0.2
_OF_SEVERAL = frozenset({"Rooms", "Quarters", "Wing"})
"""What is added to no name of a house that is let as a whole."""


class Naming:
    """Hands out names and numbers; numbers carry no meaning."""

    def __init__(self, draws: Draws, names: Names) -> None:
        self._draws = draws
        self._names = names
        self._given: set[str] = set()
        self._bases: dict[str, list[str]] = {}

    def number(self, prefix: str) -> str:
        while True:
            number = f"{prefix}-{self._draws.whole(1000, 9999)}"
            if number not in self._given:
                self._given.add(number)
                return number

    def listing(self, kind: Kind) -> str:
        """A name; every fifth is that of another house of its kind with a word added."""
        while True:
            bases = self._bases.setdefault(kind.name, [])
            if bases and self._draws.chance(SIBLING_CHANCE):
                name = f"{self._draws.pick(bases)} {self._draws.pick(self._annexes(kind.name))}"
            else:
                name = self._draws.pick(kind.names).format(
                    epithet=self._draws.pick(self._names.epithets),
                    emblem=self._draws.pick(self._names.emblems),
                    family=self._draws.pick(self._names.families),
                )
                bases.append(name)
            if name not in self._given:
                self._given.add(name)
                return name

    def _annexes(self, kind: str) -> list[str]:
        return [one for one in self._names.annexes if kind != "Holiday home" or one not in _OF_SEVERAL]
