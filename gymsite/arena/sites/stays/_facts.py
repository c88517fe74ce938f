"""The names under which a page notes what it has shown, and what the visitor has reached."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from gymsite.arena.sites.site import Event
from tasks_app.worlds.stays.types import Listing, Room, Stay


def shown(*facts: str) -> Event:
    """Facts that the page's bytes hold, by the names that tasks use for what they need."""
    return "shown", {"facts": sorted(set(facts))}


def fees(listing: Listing) -> str:
    return f"listing/{listing.id}/fees"


def policy(listing: Listing) -> str:
    return f"listing/{listing.id}/policy"


def room_amenities(listing: Listing) -> list[str]:
    return [f"listing/{listing.id}/room/{room.id}/amenities" for room in listing.rooms]


def house_amenities(listing: Listing) -> str:
    return f"listing/{listing.id}/amenities"


def calendar(listing: Listing, room: Room, days: Iterable[date]) -> set[str]:
    return {f"listing/{listing.id}/room/{room.id}/calendar/{day:%Y-%m}" for day in days}


def quote(listing: Listing, room: Room, stay: Stay) -> list[str]:
    return [*calendar(listing, room, stay.days), fees(listing)]
