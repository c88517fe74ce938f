"""Messages that explain why a stay cannot be booked, or why a trip cannot be changed or cancelled."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites.site import Visit
from tasks_app.worlds.stays.bookings import Refusal, own_trip
from tasks_app.worlds.stays.types import Room, Stay

REFUSALS: Mapping[Refusal, str] = {
    "": "",
    "dates": "Choose different dates.",
    "too_many_guests": "This room does not sleep that many guests.",
    "too_few_nights": "The minimum stay is longer; see the house rules.",
    "not_free": "Not available for all of these nights.",
    "no_such_trip": "This trip is over or has been cancelled.",
    "too_late": "The cancellation policy no longer allows this.",
    "other_room": "The room and the number of guests cannot be changed.",
    "same_dates": "Your trip already has these dates.",
}


def refusal_text(visit: Visit, refusal: Refusal, *, room: Room, stay: Stay | None, but: str = "") -> str:
    """Return a refusal's message, or "" for no refusal. Nights of the trip with code ``but`` are ignored."""
    own = own_trip(visit.state, room, stay, but=but) if stay and refusal == "not_free" else None
    return f"You have already booked some of these nights: trip {own.code}." if own else REFUSALS[refusal]
