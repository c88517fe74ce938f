"""What has become of an episode: its events folded over the world. Nothing else is kept of it anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from typing import Any

import msgspec

from tasks_app.worlds.stays.codes import trip_code
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
    """Pop-ups and banners that were dismissed."""
    searches: tuple[Mapping[str, Any], ...] = ()
    """Latest last, each once."""
    seen: int = 0
    """How many things were looked at: searches, houses, amenities, months, prices, trips."""

    def trip(self, code: str) -> Trip | None:
        return next((trip for trip in self.trips if trip.code == code), None)


Event = tuple[str, Mapping[str, Any]]


def fold(world: World, events: Iterable[Event]) -> State:
    """The state after the events, given as kind and data in their order.

    - ``recent_search`` any data: the search
    - ``filtered``, ``listing_opened``, ``amenities_opened``, ``calendar_opened``, ``shown``: a look
    - ``banner_closed`` ``{name}``
    - ``booked`` ``{listing, room, check_in, check_out, guests, price}``: dates as ISO text, price in cents
    - ``changed`` ``{trip, check_in, check_out, price, fee}`` and ``cancelled`` ``{trip, fee}``

    Other kinds, and changes of a trip that there is not or no longer, are passed over. Whether an event was
    allowed is asked before it is written (``bookings``), not here.
    """
    return reduce(lambda state, event: _step(world, state, *event), events, State(trips=world.trips))


def plain(state: State) -> dict[str, Any]:
    """The state as JSON has it, for comparing with a goal."""
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(state, order="deterministic"))
    return built


def _step(world: World, state: State, kind: str, data: Mapping[str, Any]) -> State:
    step = _STEPS.get(kind)
    return step(world, state, data) if step else state


def _recent_search(world: World, state: State, data: Mapping[str, Any]) -> State:
    others = tuple(search for search in state.searches if search != data)
    return replace(state, searches=(*others, dict(data)), seen=state.seen + 1)


def _looked(world: World, state: State, data: Mapping[str, Any]) -> State:
    return replace(state, seen=state.seen + 1)


def _banner_closed(world: World, state: State, data: Mapping[str, Any]) -> State:
    return replace(state, closed=state.closed | {data["name"]})


def _booked(world: World, state: State, data: Mapping[str, Any]) -> State:
    stay = Stay(
        check_in=date.fromisoformat(data["check_in"]),
        check_out=date.fromisoformat(data["check_out"]),
        guests=data["guests"],
    )
    before = 0
    while state.trip(code := trip_code(world.key, data["room"], stay, before=before)):
        before += 1
    trip = Trip(
        code=code,
        listing=data["listing"],
        room=data["room"],
        check_in=stay.check_in,
        check_out=stay.check_out,
        guests=stay.guests,
        price=data["price"],
        status="booked",
    )
    return replace(state, trips=(*state.trips, trip))


def _changed(world: World, state: State, data: Mapping[str, Any]) -> State:
    return _with_trip(
        state,
        data,
        reason="change",
        check_in=date.fromisoformat(data["check_in"]),
        check_out=date.fromisoformat(data["check_out"]),
        price=data["price"],
    )


def _cancelled(world: World, state: State, data: Mapping[str, Any]) -> State:
    return _with_trip(state, data, reason="cancellation", status="cancelled")


def _with_trip(state: State, data: Mapping[str, Any], *, reason: str, **facts: Any) -> State:
    trip = state.trip(data["trip"])
    if trip is None or trip.status != "booked":
        return state
    trips = tuple(replace(one, **facts) if one is trip else one for one in state.trips)
    return _with_fee(replace(state, trips=trips), trip.code, reason, data.get("fee", 0))


def _with_fee(state: State, trip: str, reason: str, cents: int) -> State:
    return replace(state, fees=(*state.fees, FeePaid(trip, reason, cents))) if cents else state


_STEPS = {
    "recent_search": _recent_search,
    "filtered": _looked,
    "listing_opened": _looked,
    "amenities_opened": _looked,
    "calendar_opened": _looked,
    "shown": _looked,
    "banner_closed": _banner_closed,
    "booked": _booked,
    "changed": _changed,
    "cancelled": _cancelled,
}
