"""Values in an address that its page does not offer: they change nothing, and the page says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

TOLD_CHARS = 40
TOLD_MAX = 5


@dataclass(frozen=True)
class Offer:
    """A field by its name in addresses, what it is called, and its values; ``shown`` is taken for others."""

    name: str
    label: str
    values: Collection[str]
    shown: str = ""


def not_offered(query: QueryDict, offered: Sequence[Offer]) -> list[str]:
    """A sentence for each value that a page does not offer; nothing chosen is no value."""
    odd = [
        (offer, value)
        for offer in offered
        for value in dict.fromkeys(query.getlist(offer.name))
        if value and value not in offer.values
    ]
    return [_sentence(offer, value) for offer, value in odd[:TOLD_MAX]]


def no_such_page(query: QueryDict, number: int) -> list[str]:
    """That the page asked for is not there; ``number`` is the one that is shown."""
    asked = query.get("page", "")
    if asked in ("", str(number)):
        return []
    return [f"There is no page {asked[:TOLD_CHARS]} in this list. Showing page {number} instead."]


def _sentence(offer: Offer, value: str) -> str:
    instead = f"Showing {_quoted(offer.shown)} instead." if offer.shown else "It was ignored."
    return f"{_quoted(value[:TOLD_CHARS])} is not an option for {_quoted(offer.label)}. {instead}"


def _quoted(text: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}"
