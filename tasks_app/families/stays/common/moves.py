"""Number of moves that tasks take in the neutral look, from which ``oracle_steps`` are computed.

A move is a click, a filled-in field, a chosen option or a visit to a page. The counts are those of the
scripted visitor in the browser tests or slightly higher: where only the pages can decide, the more expensive
case is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tasks_app.families.stays.common import drafts
from tasks_app.worlds.stays.types import Listing, Stay, World

HANDING_IN = 3
"""Moves to fill in two fields and press the button."""
FINDING = 3
"""Moves to find a house by its name: type it, search for it, open the house."""
HOME = 1
BOOKING = 4
"""Moves to give name, address and consent and to press the button."""
RESULTS_A_PAGE = 12
FORMS = 3
"""A task searches at most once and filters twice; each item that its wording lists takes one more form."""
GUESTS = 2
"""Number of guests that the forms show initially."""


def searching(stay: Stay) -> int:
    """Count the moves to enter two dates, and guests if needed, and to press the button."""
    return 3 + (stay.guests != GUESTS)


def required_amenities(given: Mapping[str, Any]) -> list[str]:
    """List the amenities in a task's conditions that the site can filter by."""
    return [value for kind, value in given["conditions"] if kind in ("room_has", "house_has")]


def narrowing(world: World, given: Mapping[str, Any]) -> int:
    """Count the moves to choose places, open and choose amenities, and press the button."""
    places = len(given["places"]) if len(given["places"]) < len(world.town.neighbourhoods) else 0
    amenities = len(required_amenities(given))
    return places + bool(amenities) + amenities + 1


def houses(given: Mapping[str, Any], offers: Sequence[drafts.Offer]) -> list[Listing]:
    """List the houses that the filters leave, each once."""
    by_id = {offer.listing.id: offer.listing for offer in offers}
    return [
        listing
        for listing in by_id.values()
        if all(drafts.offers_anywhere(listing, amenity) for amenity in required_amenities(given))
    ]


def turning(results: int) -> int:
    """Count the page turns needed for the results."""
    return max(-(-results // RESULTS_A_PAGE), 1) - 1


def months(first: date, last: date) -> int:
    """Count the calendar's page turns from one day's month to another's."""
    return (last.year - first.year) * 12 + last.month - first.month


def pricing(stays: Sequence[Stay]) -> int:
    """Count the moves to price stays on the house's page: change fields, show prices, open one, go back."""
    before: tuple[date | None, date | None, int] = (None, None, GUESTS)
    moves = len(stays) - 1
    for stay in stays:
        now = (stay.check_in, stay.check_out, stay.guests)
        moves += sum(value != other for value, other in zip(now, before, strict=True)) + 2
        before = now
    return moves
