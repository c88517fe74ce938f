"""The comparison of the goal state with the actual one, as people read it."""

from __future__ import annotations

from datetime import date
from typing import Any

from tasks_app.worlds.digest import plain
from tasks_app.worlds.registry import Condition, worlds

STAYS = worlds.get("stays")
TOWN = STAYS.open_world(b"comparing", edition="train", first_day=date(2027, 3, 1))
FIRST, SECOND = [trip.code for trip in TOWN.trips if trip.status == "booked"][:2]
STAY = {"check_in": "2027-05-03", "check_out": "2027-05-06", "guests": 2}
BOOKED = ("booked", {"listing": "L-1", "room": "R-1", **STAY, "price": 40_000})
CANCELLED = ("cancelled", {"trip": FIRST, "fee": 1_500})


def state(*events: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return plain(STAYS.fold(TOWN, events))


def compared(expected: list[Any], actual: list[Any]) -> list[Condition]:
    assert STAYS.compare is not None
    goal = {part: value for part, value in state(*expected).items() if part in ("trips", "fees")}
    return STAYS.compare(state(), goal, state(*actual))


def failed(expected: list[Any], actual: list[Any]) -> list[tuple[str, str, str, str]]:
    return [
        (one.kind, one.about, one.expected, one.actual)
        for one in compared(expected, actual)
        if not one.is_held
    ]


def test_each_fact_of_a_booking_is_a_condition() -> None:
    conditions = compared([BOOKED], [BOOKED])
    assert [(one.about, one.expected) for one in conditions if one.kind == "goal"][:5] == [
        ("New booking: room", "R-1 of L-1"),
        ("New booking: dates", "3 May 2027 to 6 May 2027"),
        ("New booking: guests", "2"),
        ("New booking: price", "EUR 400.00"),
        ("New booking: status", "booked"),
    ]


def test_a_failed_condition_shows_the_actual_and_the_expected_booking() -> None:
    other = ("booked", BOOKED[1] | {"guests": 3})
    failures = failed([BOOKED], [other])
    assert failures[0] == ("goal", "New booking: guests", "2", "3")
    assert [about for _, about, _, _ in failures] == ["New booking: guests", "New booking: code"]


def test_an_untouched_state_lacks_the_goal_and_breaks_no_frame() -> None:
    assert {kind for kind, *_ in failed([CANCELLED, BOOKED], [])} == {"goal"}
    assert failed([CANCELLED], []) == [
        ("goal", f"Trip {FIRST}: status", "cancelled", "booked"),
        ("goal", f"Fee for the cancellation of {FIRST}", "EUR 15.00", "none paid"),
    ]


def test_an_additional_action_breaks_only_the_frame() -> None:
    beside = ("cancelled", {"trip": SECOND, "fee": 700})
    assert failed([CANCELLED], [CANCELLED, beside]) == [
        ("frame", "Other facts of earlier trips", "as before", f"{SECOND}: status cancelled"),
        ("frame", "Further fees", "none", f"cancellation of {SECOND}, EUR 7.00"),
    ]
    (further,) = failed([CANCELLED], [CANCELLED, BOOKED])
    assert further[:3] == ("frame", "Further bookings", "none")
    assert "R-1 of L-1, 3 May 2027 to 6 May 2027, 2, EUR 400.00, booked" in further[3]


def test_another_order_of_actions_breaks_the_frame() -> None:
    twice = [CANCELLED, ("cancelled", {"trip": SECOND, "fee": 700})]
    assert failed(twice, twice[::-1]) == [("frame", "Order of actions", "as requested", "another")]


def test_allowed_differences_are_listed_and_always_hold() -> None:
    beside = [("banner_closed", {"name": "cookies"}), ("recent_search", {"place": "Old Town"})]
    allowed = {one.about: (one.actual, one.is_held) for one in compared([], beside) if one.kind == "allowed"}
    assert allowed["Notices closed"] == ("1", True)
    assert allowed["Searches"] == ("1", True)
