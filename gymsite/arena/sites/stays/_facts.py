"""Names of the facts that pages show. Tasks use the same names for the facts that they need."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from gymsite.arena.sites.site import Event
from tasks_app.worlds.stays.bookings import Refusal, own_trip
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import Listing, Room, Stay


def note_shown(*facts: str) -> Event:
    """Build the event that names the facts on the page; tasks name the facts that they need the same way."""
    return "shown", {"facts": sorted(set(facts))}


def about(listing: Listing) -> str:
    """Name the fact of the house's description and of its first shared amenities."""
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
    """Name the facts of a calendar: its nights with a price, and those that other guests have booked."""
    nights = (("prices", priced), ("fulls", full))
    return [_nights(listing, room, kind, *run) for kind, days in nights for run in _runs(days)]


def price(listing: Listing, room: Room, stay: Stay) -> str:
    """Name the fact of the total price of a stay's nights."""
    return _nights(listing, room, "price", stay.check_in, stay.check_out)


def rate(listing: Listing, stay: Stay) -> str:
    """Name the fact of the mean price per night in the house's cheapest free room."""
    return f"listing/{listing.id}/rate/{stay.check_in}/{stay.check_out}"


def quote(listing: Listing, room: Room, stay: Stay) -> list[str]:
    return [price(listing, room, stay), fees(listing)]


def refused(
    listing: Listing, room: Room, stay: Stay, *, refusal: Refusal, state: State, but: str = ""
) -> list[str]:
    """Name the facts of a refusal. It shows one only if it says that other guests have nights of the stay."""
    if refusal != "not_free" or own_trip(state, room, stay, but=but):
        return []
    return [_nights(listing, room, "full", stay.check_in, stay.check_out)]


def _nights(listing: Listing, room: Room, kind: str, first: date, last: date) -> str:
    return f"listing/{listing.id}/room/{room.id}/{kind}/{first}/{last}"


def _runs(days: Iterable[date]) -> list[tuple[date, date]]:
    """Group ascending days into unbroken runs, each given by its first day and the day after its last."""
    runs: list[tuple[date, date]] = []
    for day in days:
        follows = bool(runs) and runs[-1][1] == day
        first = runs.pop()[0] if follows else day
        runs.append((first, day + timedelta(days=1)))
    return runs
