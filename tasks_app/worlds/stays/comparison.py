"""Comparison of a booking task's expected and actual final state, condition by condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from tasks_app.worlds.formats import day_text
from tasks_app.worlds.registry import Condition, Kind
from tasks_app.worlds.stays.quotes import euros

State = Mapping[str, Any]
Row = Mapping[str, Any]
FACTS: Mapping[str, Callable[[Row], str]] = {
    "room": lambda trip: f"{trip['room']} of {trip['listing']}",
    "dates": lambda trip: " to ".join(
        day_text(date.fromisoformat(trip[day])) for day in ("check_in", "check_out")
    ),
    "guests": lambda trip: str(trip["guests"]),
    "price": lambda trip: f"EUR {euros(trip['price'])}",
    "status": lambda trip: str(trip["status"]),
}
NONE = "none"
UNCHANGED = "as before"
ALLOWED: Mapping[str, tuple[str, Callable[[Any], int]]] = {
    "closed": ("Notices closed", len),
    "searches": ("Searches", len),
    "seen": ("Pages and prices viewed", int),
}


def compare(before: State, expected: State, final: State) -> list[Condition]:
    """List conditions that all hold exactly if ``final`` matches every part of ``expected``.

    ``before`` is the state in which the episode began. All states are JSON data as ``state.plain`` returns
    them; ``expected`` has only the parts that the task names. The goal's conditions come first and free parts
    last.
    """
    conditions = sorted(
        (*_trips(before, expected, final), *_fees(expected, final)),
        key=lambda condition: condition.kind == "frame",
    )
    if all(condition.is_held for condition in conditions) and any(
        final.get(part) != expected[part] for part in expected
    ):
        conditions.append(
            make_condition("frame", "Order of actions", expected="as requested", actual="another")
        )
    return conditions + [
        Condition(
            kind="allowed", about=about, expected="any number", actual=str(count(final[part])), is_held=True
        )
        for part, (about, count) in ALLOWED.items()
        if part not in expected
    ]


def _trips(before: State, expected: State, final: State) -> Iterator[Condition]:
    old, required, left = (
        {trip["code"]: trip for trip in state["trips"]} for state in (before, expected, final)
    )
    others = [trip for code, trip in left.items() if code not in required]
    changed = []
    for code, trip in required.items():
        if code not in old:
            booking = left.get(code) or (others.pop(0) if others else None)
            yield from _booking(trip, booking)
            continue
        for fact, text in FACTS.items():
            actual = text(left[code])
            if text(trip) != text(old[code]):
                yield make_condition("goal", f"Trip {code}: {fact}", expected=text(trip), actual=actual)
            elif actual != text(trip):
                changed.append(f"{code}: {fact} {actual}")
    yield make_condition(
        "frame", "Other facts of earlier trips", expected=UNCHANGED, actual=", ".join(changed) or UNCHANGED
    )
    booked = (f"{trip['code']} ({', '.join(text(trip) for text in FACTS.values())})" for trip in others)
    yield make_condition("frame", "Further bookings", expected=NONE, actual=_join(booked))


def _booking(trip: Row, booked: Row | None) -> Iterator[Condition]:
    """Compare an expected booking with the actual one, or with what was booked instead."""
    for fact, text in FACTS.items():
        actual = text(booked) if booked else "no booking"
        yield make_condition("goal", f"New booking: {fact}", expected=text(trip), actual=actual)
    actual = str(booked["code"]) if booked else "no booking"
    yield make_condition("goal", "New booking: code", expected=str(trip["code"]), actual=actual)


def _fees(expected: State, final: State) -> Iterator[Condition]:
    others = list(final["fees"])
    for fee in expected["fees"]:
        paid = next((other for other in others if _cause(other) == _cause(fee)), None)
        if paid is not None:
            others.remove(paid)
        actual = f"EUR {euros(paid['cents'])}" if paid else "none paid"
        yield make_condition(
            "goal", f"Fee for the {_cause(fee)}", expected=f"EUR {euros(fee['cents'])}", actual=actual
        )
    paid_too = (f"{_cause(fee)}, EUR {euros(fee['cents'])}" for fee in others)
    yield make_condition("frame", "Further fees", expected=NONE, actual=_join(paid_too))


def _cause(fee: Row) -> str:
    return f"{fee['reason']} of {fee['trip']}"


def _join(texts: Iterable[str]) -> str:
    return "; ".join(texts) or NONE


def make_condition(kind: Kind, about: str, *, expected: str, actual: str) -> Condition:
    """Build a condition that holds if both texts are equal."""
    return Condition(kind=kind, about=about, expected=expected, actual=actual, is_held=expected == actual)
