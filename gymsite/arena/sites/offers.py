"""Notes about values in an address that its page does not offer. Such values have no effect."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

VALUE_CHARS = 40
NOTES_MAX = 5


@dataclass(frozen=True)
class Offer:
    """A query parameter with its offered values. ``shown`` names what is shown for any other value."""

    name: str
    label: str
    values: Collection[str]
    shown: str = ""


def not_offered(query: QueryDict, offered: Sequence[Offer]) -> list[str]:
    """Write a sentence for each value that the page does not offer; empty values are ignored."""
    odd = [
        (offer, value)
        for offer in offered
        for value in dict.fromkeys(query.getlist(offer.name))
        if value and value not in offer.values
    ]
    return [_sentence(offer, value) for offer, value in odd[:NOTES_MAX]]


def no_such_page(query: QueryDict, number: int) -> list[str]:
    """Write a note if the requested page does not exist; ``number`` is the page shown instead."""
    requested = query.get("page", "")
    if requested in ("", str(number)):
        return []
    return [f"There is no page {requested[:VALUE_CHARS]} in this list. Showing page {number} instead."]


def _sentence(offer: Offer, value: str) -> str:
    instead = f"Showing {_quoted(offer.shown)} instead." if offer.shown else "It was ignored."
    return f"{_quoted(value[:VALUE_CHARS])} is not an option for {_quoted(offer.label)}. {instead}"


def _quoted(text: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}"
