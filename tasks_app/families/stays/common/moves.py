"""The numbers of moves that tasks take in the neutral look, from which ``oracle_steps`` are computed.

A move is a click, a field typed, an option chosen, or a page gone to. The counts are those of the scripted
visitor of the browser tests, or little more: what only the pages can tell is taken for the dearer case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tasks_app.families.stays.common import drafts
from tasks_app.worlds.stays.types import Listing, Stay, World

HANDING_IN = 3
"""Filling in two fields, and the button."""
FINDING = 3
"""Finding a house by its name: typed, searched for, opened."""
HOME = 1
BOOKING = 4
"""Giving name, address and consent, and the button."""
RESULTS_A_PAGE = 12
FORMS = 3
"""A task searches once at most and filters twice; each thing that its wording lists takes one form more."""
GUESTS = 2
"""The forms' number of guests before anybody chooses."""


def searching(stay: Stay) -> int:
    """Count two dates, the guests where they differ from the form's, and the button."""
    return 3 + (stay.guests != GUESTS)


def required_amenities(given: Mapping[str, Any]) -> list[str]:
    """List the amenities of a task's conditions that the site can filter by."""
    return [value for kind, value in given["conditions"] if kind in ("room_has", "house_has")]


def narrowing(world: World, given: Mapping[str, Any]) -> int:
    """Count places, the amenities' list and those in it, and the button."""
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
    """Count the page turns of so many results."""
    return max(-(-results // RESULTS_A_PAGE), 1) - 1


def months(first: date, last: date) -> int:
    """Count the turns of the calendar from the month of one day to that of another."""
    return (last.year - first.year) * 12 + last.month - first.month


def pricing(stays: Sequence[Stay]) -> int:
    """Count pricing stays on the house's page: what differs is typed; shown, opened, and back."""
    before: tuple[date | None, date | None, int] = (None, None, GUESTS)
    moves = len(stays) - 1
    for stay in stays:
        now = (stay.check_in, stay.check_out, stay.guests)
        moves += sum(value != other for value, other in zip(now, before, strict=True)) + 2
        before = now
    return moves
