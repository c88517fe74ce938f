"""Why a stay cannot be booked, or a trip changed or cancelled, in words."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites.site import Visit
from tasks_app.worlds.stays.bookings import Refusal, own_trip
from tasks_app.worlds.stays.types import Room, Stay

REFUSALS: Mapping[Refusal, str] = {
    "": "",
    "dates": "Choose other dates.",
    "too_many_guests": "Too small for so many guests.",
    "too_few_nights": "The house takes longer stays only; see the house rules.",
    "not_free": "Not free for all of these nights.",
    "no_such_trip": "This trip is over or cancelled.",
    "too_late": "It is too late for that under the policy of the house.",
    "other_room": "Room and guests of a trip stay as they are.",
    "same_dates": "These are its dates already.",
}


def refusal_text(visit: Visit, refusal: Refusal, *, room: Room, stay: Stay | None, but: str = "") -> str:
    """Empty when nothing stands against it. Nights that are taken by the visitor are said to be; ``but`` is
    the code of a trip whose nights do not count.
    """
    own = own_trip(visit.state, room, stay, but=but) if stay and refusal == "not_free" else None
    return f"Booked by you for some of these nights: trip {own.code}." if own else REFUSALS[refusal]
