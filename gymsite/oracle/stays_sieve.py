"""Search for the room that meets a task's lettered conditions, or misses only one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gymsite.oracle.stays_visitor import Offered, Visitor

LETTERS = "abcdef"


@dataclass
class Sifting:
    """Knowledge about the rooms of the houses opened so far.

    ``near`` lists rooms that miss one condition: total price, the condition's letter, the listing's number.
    """

    visitor: Visitor
    given: Mapping[str, Any]
    results: str = ""
    known: dict[str, list[Offered]] = field(default_factory=dict)
    priced: set[str] = field(default_factory=set)
    near: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def conditions(self) -> list[list[str]]:
        return list(self.given["conditions"])

    def search(self, *, sort: str = "") -> None:
        """Search for the stay, filtered by the task's conditions."""
        self.visitor.search(self.given)
        self.visitor.filter(self.given, sort=sort)
        self.results = self.visitor.page.url

    def fitting(self, house: str) -> Iterator[tuple[int, str]]:
        """Yield the checkout total and listing number of each room of a house that meets all conditions."""
        for room in self._rooms(house):
            if not room.missed and not self._priced(room):
                yield self.visitor.total(), self.visitor.listing_number()

    def nearest(self) -> tuple[str, str]:
        """Return the letter of the condition that the cheapest near room misses, and its listing number."""
        self.visitor.goto(self.results)
        self.visitor.loosen(self.given)
        stay = [date.fromisoformat(self.given[name]) for name in ("check_in", "check_out")]
        for house, night in self.visitor.houses_in_turn():
            if self._is_dearer(night * (stay[1] - stay[0]).days):
                break
            for room in sorted(self._rooms(house), key=lambda room: room.nights):
                is_open = room.checkout not in self.priced and len(room.missed) <= 1
                if is_open and not self._is_dearer(room.nights):
                    self._priced(room)
        _, letter, number = min(self.near)
        return letter, number

    def _rooms(self, house: str) -> list[Offered]:
        if house not in self.known:
            self.known[house] = self.visitor.rooms(house, self.conditions)
        return self.known[house]

    def _priced(self, room: Offered) -> list[int]:
        """Open the room's checkout, and return the indices of the conditions that it misses."""
        self.visitor.goto(room.checkout)
        self.priced.add(room.checkout)
        total, budget = (
            self.visitor.total(),
            [int(value) for kind, value in self.conditions if kind == "budget"],
        )
        kinds = [kind for kind, _ in self.conditions]
        missed = [*room.missed, *(kinds.index("budget") for most in budget if total > most)]
        if len(missed) == 1:
            self.near.append((total, LETTERS[missed[0]], self.visitor.listing_number()))
        return missed

    def _is_dearer(self, nights: int) -> bool:
        """Return whether the nights alone cost at least as much as the cheapest near room so far."""
        return bool(self.near) and nights >= min(self.near)[0]
