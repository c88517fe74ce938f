"""Position of a comparison in a report's list of pairs, for going from pair to pair."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from core.integers import is_id

NAMING = ("benchmark", "a", "b", "better")


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Pair ``number`` of ``total``; ``query`` names the list."""

    report: int
    number: int
    total: int
    query: str

    @property
    def parameters(self) -> str:
        """Parameters of this comparison's address besides its episodes."""
        return f"report={self.report}&{self.query}&pair={self.number}&pairs={self.total}"

    @property
    def list_address(self) -> str:
        return f"{reverse('report_items', kwargs={'report_id': self.report})}?{self.query}"

    @property
    def earlier(self) -> str:
        return self._address(self.number - 1) if self.number > 1 else ""

    @property
    def later(self) -> str:
        return self._address(self.number + 1) if self.number < self.total else ""

    def _address(self, number: int) -> str:
        return f"{reverse('report_pair', kwargs={'report_id': self.report, 'number': number})}?{self.query}"


def pairs_of(parameters: QueryDict) -> Pairs | None:
    """Return the pair's position; None if the address names no list of pairs."""
    words = [parameters.get(name, "") for name in ("report", "pair", "pairs")]
    if not all(map(is_id, words)):
        return None
    report, number, total = map(int, words)
    query = QueryDict(mutable=True)
    query.update({name: parameters.get(name, "") for name in NAMING if name in parameters})
    return Pairs(report=report, number=number, total=total, query=query.urlencode())
