"""Milestones that the booking site's families share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tasks_app.families.milestones import once, seen
from tasks_app.families.types import GoldFacts, Milestone

DATES = ("check_in", "check_out")


def searched(stays: Callable[[GoldFacts], Iterable[Mapping[str, Any]]]) -> Milestone:
    """Make a milestone for a search, filtered or not, with the dates of one of the stays."""

    def is_it(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
        return kind in ("recent_search", "filtered") and any(
            all(data.get(name) == stay[name] for name in DATES) for stay in stays(gold)
        )

    return once("searched_right_dates", is_it, is_one_way=True)


def _opened(name: str, kind: str) -> Callable[[Callable[[GoldFacts], str]], Milestone]:
    def milestone(listing: Callable[[GoldFacts], str]) -> Milestone:
        return once(
            name,
            lambda gold, seen, data: seen == kind and data["listing"] == listing(gold),
            where=lambda gold: bool(listing(gold)),
            is_one_way=True,
        )

    return milestone


opened = _opened("opened_right_listing", "listing_opened")
"""Milestone: the house's page was opened."""
opened_amenities = _opened("opened_amenities", "amenities_opened")
"""Milestone: the list of all amenities of the house and its rooms was opened."""


def answers_listing(gold: GoldFacts) -> str:
    """Return the house that the answer names or where the trip that it names is booked."""
    trip = answers_trip(gold)
    return str(trip["listing"]) if trip else gold.answer[-1]


def answers_trip(gold: GoldFacts) -> Mapping[str, Any] | None:
    """Return the trip in the expected state whose code is in the answer."""
    trips = (gold.goal or {}).get("trips", ())
    return next((trip for trip in trips if trip["code"] in gold.answer), None)


def booked_right() -> Milestone:
    """Make a milestone for booking the room, dates and guests of the trip that the answer names."""

    def is_it(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
        trip = answers_trip(gold) or {}
        return kind == "booked" and all(data[name] == trip[name] for name in ("room", "guests", *DATES))

    return once("booked_right_room", is_it, where=lambda gold: answers_trip(gold) is not None)


def prices(gold: GoldFacts) -> list[str]:
    """List the needs that are prices of nights."""
    return [need for need in gold.needs if "/price/" in need]


OPENED_TRIPS = seen("opened_trips", lambda gold: ("trips",))
SAW_POLICIES = seen(
    "saw_every_policy", lambda gold: [need for need in gold.needs if need.endswith("/policy")]
)
