"""State of an episode: its events folded over the world. Nothing else is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from msgspec import convert

from core.draws import Draws
from tasks_app.worlds.stays.types import Stay, Trip, World


@dataclass(frozen=True, slots=True)
class FeePaid:
    trip: str
    reason: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    trips: tuple[Trip, ...]
    fees: tuple[FeePaid, ...] = ()
    closed: frozenset[str] = frozenset()
    """Pop-ups and banners that were closed."""
    searches: tuple[Mapping[str, Any], ...] = ()
    """Distinct searches, latest last."""
    seen: int = 0
    """Number of things viewed: searches, houses, amenities, months, prices, trips."""

    def trip(self, code: str) -> Trip | None:
        return next((trip for trip in self.trips if trip.code == code), None)


Event = tuple[str, Mapping[str, Any]]
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"


def trip_code(key: bytes, room: str, stay: Stay, *, before: int = 0) -> str:
    """Derive a booking's confirmation code. ``before`` counts earlier bookings of exactly the same stay.

    Without the world's key, nobody can tell which stay a code stands for.
    """
    draws = Draws(
        key, "code", room, stay.check_in.isoformat(), stay.check_out.isoformat(), stay.guests, before
    )
    return "".join(draws.pick(_LETTERS) for _ in range(6))


def fold(world: World, events: Iterable[Event]) -> State:
    """Fold the events, given as kind and data in order, into a state.

    - ``recent_search`` with any data: the search
    - ``filtered``, ``listing_opened``, ``amenities_opened``, ``calendar_opened``, ``shown``: a view
    - ``banner_closed`` ``{name}``
    - ``booked`` ``{listing, room, check_in, check_out, guests, price}``: dates as ISO text, price in cents
    - ``changed`` ``{trip, check_in, check_out, price, fee}`` and ``cancelled`` ``{trip, fee}``

    Other kinds are ignored, and so are changes to an unknown or cancelled trip. Whether an event is allowed
    is checked before it is written (``bookings``), not here.
    """
    state = State(trips=world.trips)
    for kind, data in events:
        if kind in _STEPS:
            state = _STEPS[kind](world, state, data)
    return state


def _recent_search(world: World, state: State, data: Mapping[str, Any]) -> State:
    others = tuple(search for search in state.searches if search != data)
    return replace(state, searches=(*others, dict(data)), seen=state.seen + 1)


def _looked(world: World, state: State, data: Mapping[str, Any]) -> State:
    return replace(state, seen=state.seen + 1)


def _booked(world: World, state: State, data: Mapping[str, Any]) -> State:
    stay = convert(data, Stay)
    before = 0
    while state.trip(code := trip_code(world.key, data["room"], stay, before=before)):
        before += 1
    trip = convert({**data, "code": code, "status": "booked"}, Trip)
    return replace(state, trips=(*state.trips, trip))


def _change(world: World, state: State, data: Mapping[str, Any]) -> State:
    return _with_trip(
        state,
        data,
        reason="change",
        check_in=date.fromisoformat(data["check_in"]),
        check_out=date.fromisoformat(data["check_out"]),
        price=data["price"],
    )


def _with_trip(state: State, data: Mapping[str, Any], *, reason: str, **facts: Any) -> State:
    trip = state.trip(data["trip"])
    if trip is None or trip.status != "booked":
        return state
    trips = tuple(replace(other, **facts) if other is trip else other for other in state.trips)
    cents = data.get("fee", 0)
    fees = (*state.fees, FeePaid(trip.code, reason, cents)) if cents else state.fees
    return replace(state, trips=trips, fees=fees)


_STEPS: Mapping[str, Callable[[World, State, Mapping[str, Any]], State]] = {
    "recent_search": _recent_search,
    "filtered": _looked,
    "listing_opened": _looked,
    "amenities_opened": _looked,
    "calendar_opened": _looked,
    "shown": _looked,
    "banner_closed": lambda world, state, data: replace(state, closed=state.closed | {data["name"]}),
    "booked": _booked,
    "changed": _change,
    "cancelled": lambda world, state, data: _with_trip(
        state, data, reason="cancellation", status="cancelled"
    ),
}
