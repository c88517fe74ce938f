"""What every page of the site is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404

from gymsite.arena.sites.site import Event, Page, Visit
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._asked import GUESTS
from gymsite.arena.sites.stays._notices import notice_due
from tasks_app.worlds.stays.bookings import listing_of, room_of
from tasks_app.worlds.stays.quotes import Quote
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

TILES = 12
SMALL_WORDS = ("The", "at", "the", "and")


def page(
    visit: Visit,
    template: str,
    *,
    title: str,
    here: str,
    status: int = 200,
    events: Sequence[Event] = (),
    **context: Any,
) -> Page:
    """A page of the site; ``here`` is its path below the first page."""
    world: World = visit.world
    query = visit.query.urlencode()
    notice = notice_due(world, visit.state)
    return Page(
        template=f"arena/stays/{template}.html",
        context={
            "town": world.town,
            "title": title,
            "today": wording.day_text(world.first_day),
            "first": world.first_day.isoformat(),
            "guests": [(number, wording.guests_text(number)) for number in GUESTS],
            "here": f"{here}?{query}" if query else here,
            "notice": notice,
            **context,
        },
        status=status,
        events=(*events, *((("notice_shown", {"name": notice}),) if notice else ())),
    )


def tile(listing: Listing) -> dict[str, Any]:
    """The picture that stands for a house until it has one: its initials on one of a few grounds."""
    words = [
        word for word in listing.name.replace("'s ", " ").split() if word not in ("The", "at", "the", "and")
    ]
    return {"initials": "".join(word[0] for word in words[:2]), "ground": int(listing.id[2:]) % TILES}


def listing_at(world: World, listing_id: str) -> Listing:
    """Raises ``Http404`` where there is no such house."""
    found = listing_of(world, listing_id)
    if found is None:
        raise Http404
    return found


def room_at(listing: Listing, room_id: str) -> Room:
    """Raises ``Http404`` where the house has no such room."""
    found = room_of(listing, room_id)
    if found is None:
        raise Http404
    return found


def quote_card(found: Quote, stay: Stay) -> dict[str, Any]:
    """A price, night by night and line by line."""
    return {
        "nights": [
            (wording.day_text(day), wording.money(cents))
            for day, cents in zip(stay.days, found.nights, strict=True)
        ],
        "lines": [(line.label, wording.money(line.cents)) for line in found.lines],
        "total": wording.money(found.total),
    }


def trip_card(world: World, trip: Trip) -> dict[str, Any]:
    listing = listing_at(world, trip.listing)
    room = room_at(listing, trip.room)
    return {
        "trip": trip,
        "listing": listing,
        "room": room,
        "tile": tile(listing),
        "dates": f"{wording.day_text(trip.check_in)} to {wording.day_text(trip.check_out)}",
        "nights": wording.nights_text(trip.stay.nights),
        "guests": wording.guests_text(trip.guests),
        "price": wording.money(trip.price),
    }
