"""The state that a task of the booking site wants beside the one that was left, condition by condition."""

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
    "closed": ("Notices that were closed", len),
    "searches": ("Searches", len),
    "seen": ("Pages and prices that were looked at", int),
}


def compare(before: State, wanted: State, found: State) -> list[Condition]:
    """All of them are held exactly when ``found`` has every part of ``wanted``.

    ``before`` is the state in which the episode began; all are JSON as ``state.plain`` makes it, ``wanted``
    with the parts that are asked for alone. The goal's conditions come first, what is allowed last.
    """
    conditions = sorted(
        (*_trips(before, wanted, found), *_fees(wanted, found)), key=lambda one: one.kind == "frame"
    )
    if all(one.is_held for one in conditions) and any(found.get(part) != wanted[part] for part in wanted):
        conditions.append(
            compared("frame", "Order of what was done", expected="as asked for", found="another")
        )
    return conditions + [
        Condition(
            kind="allowed", about=about, expected="any number", found=str(count(found[part])), is_held=True
        )
        for part, (about, count) in ALLOWED.items()
        if part not in wanted
    ]


def _trips(before: State, wanted: State, found: State) -> Iterator[Condition]:
    old, asked, left = ({trip["code"]: trip for trip in state["trips"]} for state in (before, wanted, found))
    others = [trip for code, trip in left.items() if code not in asked]
    changed = []
    for code, trip in asked.items():
        if code not in old:
            made = left.get(code) or (others.pop(0) if others else None)
            yield from _booking(trip, made)
            continue
        for fact, text in FACTS.items():
            actual = text(left[code])
            if text(trip) != text(old[code]):
                yield compared("goal", f"Trip {code}: {fact}", expected=text(trip), found=actual)
            elif actual != text(trip):
                changed.append(f"{code}: {fact} {actual}")
    yield compared(
        "frame", "All else of earlier trips", expected=UNCHANGED, found=", ".join(changed) or UNCHANGED
    )
    booked = (f"{trip['code']} ({', '.join(text(trip) for text in FACTS.values())})" for trip in others)
    yield compared("frame", "Further bookings", expected=NONE, found=_listed(booked))


def _booking(trip: Row, made: Row | None) -> Iterator[Condition]:
    """A wanted booking, against itself or what was booked instead."""
    for fact, text in FACTS.items():
        actual = text(made) if made else "no booking"
        yield compared("goal", f"New booking: {fact}", expected=text(trip), found=actual)
    actual = str(made["code"]) if made else "no booking"
    yield compared("goal", "New booking: code", expected=str(trip["code"]), found=actual)


def _fees(wanted: State, found: State) -> Iterator[Condition]:
    others = list(found["fees"])
    for fee in wanted["fees"]:
        paid = next((one for one in others if _cause(one) == _cause(fee)), None)
        if paid is not None:
            others.remove(paid)
        actual = f"EUR {euros(paid['cents'])}" if paid else "none paid"
        yield compared(
            "goal", f"Fee for the {_cause(fee)}", expected=f"EUR {euros(fee['cents'])}", found=actual
        )
    paid_too = (f"{_cause(fee)}, EUR {euros(fee['cents'])}" for fee in others)
    yield compared("frame", "Further fees", expected=NONE, found=_listed(paid_too))


def _cause(fee: Row) -> str:
    return f"{fee['reason']} of {fee['trip']}"


def _listed(texts: Iterable[str]) -> str:
    return "; ".join(texts) or NONE


def compared(kind: Kind, about: str, *, expected: str, found: str) -> Condition:
    """A condition that is held when both texts are equal."""
    return Condition(kind=kind, about=about, expected=expected, found=found, is_held=expected == found)
