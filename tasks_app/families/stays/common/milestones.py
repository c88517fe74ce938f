"""What the families of the booking site count as being on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tasks_app.families.milestones import once, seen
from tasks_app.families.types import GoldFacts, Milestone

DATES = ("check_in", "check_out")


def searched(stays: Callable[[GoldFacts], Iterable[Mapping[str, Any]]]) -> Milestone:
    """A search, filtered or not, for the dates of one of the stays."""

    def is_it(told: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
        return kind in ("recent_search", "filtered") and any(
            all(data.get(name) == stay[name] for name in DATES) for stay in stays(told)
        )

    return once("searched_right_dates", is_it)


def _opened(name: str, kind: str) -> Callable[[Callable[[GoldFacts], str]], Milestone]:
    def milestone(listing: Callable[[GoldFacts], str]) -> Milestone:
        return once(
            name,
            lambda told, seen, data: seen == kind and data["listing"] == listing(told),
            where=lambda told: bool(listing(told)),
        )

    return milestone


opened = _opened("opened_right_listing", "listing_opened")
"""The page of the house."""
opened_amenities = _opened("opened_amenities", "amenities_opened")
"""All amenities of the house and its rooms."""


def answers_listing(told: GoldFacts) -> str:
    """The house that the answer names, or in which it has a room booked."""
    trip = answers_trip(told)
    return str(trip["listing"]) if trip else told.answer[-1]


def answers_trip(told: GoldFacts) -> Mapping[str, Any] | None:
    """The trip of the wanted state whose code the answer gives."""
    trips = (told.goal or {}).get("trips", ())
    return next((trip for trip in trips if trip["code"] in told.answer), None)


def booked_right() -> Milestone:
    """The room, dates and guests of the trip that the answer gives."""

    def is_it(told: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
        trip = answers_trip(told) or {}
        return kind == "booked" and all(data[name] == trip[name] for name in ("room", "guests", *DATES))

    return once("booked_right_room", is_it, where=lambda told: answers_trip(told) is not None)


OPENED_TRIPS = seen("opened_trips", lambda told: ("trips",))
SAW_POLICIES = seen(
    "saw_every_policy", lambda told: [need for need in told.needs if need.endswith("/policy")]
)
