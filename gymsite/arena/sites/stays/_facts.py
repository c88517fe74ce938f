"""Names of the facts that a page has shown, and of what the visitor has reached."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from gymsite.arena.sites.site import Event
from tasks_app.worlds.stays.bookings import Refusal, own_trip
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import Listing, Room, Stay


def note_shown(*facts: str) -> Event:
    """Make the event of the facts on the page, by the names that tasks use for what they need."""
    return "shown", {"facts": sorted(set(facts))}


def about(listing: Listing) -> str:
    """Name the house's description and the first amenities that its guests share."""
    return f"listing/{listing.id}/about"


def fees(listing: Listing) -> str:
    return f"listing/{listing.id}/fees"


def policy(listing: Listing) -> str:
    return f"listing/{listing.id}/policy"


def room_amenities(listing: Listing) -> list[str]:
    return [f"listing/{listing.id}/room/{room.id}/amenities" for room in listing.rooms]


def house_amenities(listing: Listing) -> str:
    return f"listing/{listing.id}/amenities"


def calendar(listing: Listing, room: Room, *, priced: Iterable[date], full: Iterable[date]) -> list[str]:
    """Name the nights of a calendar that have a price, and those that other guests have."""
    nights = (("prices", priced), ("fulls", full))
    return [_nights(listing, room, kind, *run) for kind, days in nights for run in _runs(days)]


def price(listing: Listing, room: Room, stay: Stay) -> str:
    """Name the total of a stay's nights."""
    return _nights(listing, room, "price", stay.check_in, stay.check_out)


def rate(listing: Listing, stay: Stay) -> str:
    """Name the mean price of a night in the house's cheapest free room."""
    return f"listing/{listing.id}/rate/{stay.check_in}/{stay.check_out}"


def quote(listing: Listing, room: Room, stay: Stay) -> list[str]:
    return [price(listing, room, stay), fees(listing)]


def refused(
    listing: Listing, room: Room, stay: Stay, *, refusal: Refusal, state: State, but: str = ""
) -> list[str]:
    """Name the facts of a refusal: that other guests have a night of the stay, if it says so."""
    if refusal != "not_free" or own_trip(state, room, stay, but=but):
        return []
    return [_nights(listing, room, "full", stay.check_in, stay.check_out)]


def _nights(listing: Listing, room: Room, kind: str, first: date, last: date) -> str:
    return f"listing/{listing.id}/room/{room.id}/{kind}/{first}/{last}"


def _runs(days: Iterable[date]) -> list[tuple[date, date]]:
    """Group ascending days into stretches: the first day and the one after the last."""
    runs: list[tuple[date, date]] = []
    for day in days:
        follows = bool(runs) and runs[-1][1] == day
        first = runs.pop()[0] if follows else day
        runs.append((first, day + timedelta(days=1)))
    return runs
