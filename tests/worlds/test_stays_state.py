from __future__ import annotations

from datetime import date, timedelta

import pytest

from tasks_app.worlds.digest import plain
from tasks_app.worlds.stays.bookings import (
    booking_refusal,
    cancel_refusal,
    change_refusal,
    find_listing,
    find_room,
)
from tasks_app.worlds.stays.calendar import NIGHTS, first_free, is_free, nights_mask
from tasks_app.worlds.stays.quotes import can_change, cancelling_fee, free_until, quote, tier
from tasks_app.worlds.stays.state import FeePaid, State, fold
from tasks_app.worlds.stays.types import Listing, Policy, Room, Stay, Tier, Trip, World
from tasks_app.worlds.stays.world import world

FIRST_DAY = date(2027, 3, 1)


@pytest.fixture
def town() -> World:
    return world(b"state", first_day=FIRST_DAY)


def _free_stay(town: World, nights: int = 3) -> tuple[Listing, Room, Stay]:
    own = {trip.room for trip in town.trips}
    for listing in town.listings:
        for room in listing.rooms:
            night = first_free(room, nights=nights + 1)
            if room.id not in own and night is not None and listing.rules.min_nights <= nights:
                arrival = town.first_day + timedelta(days=night)
                leaving = arrival + timedelta(days=nights)
                return listing, room, Stay(check_in=arrival, check_out=leaving, guests=1)
    raise AssertionError("no room is free")


def _booked(town: World, listing: Listing, room: Room, stay: Stay) -> tuple[str, dict[str, object]]:
    return "booked", {
        "listing": listing.id,
        "room": room.id,
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "guests": stay.guests,
        "price": quote(town, listing, room, stay).total,
    }


def test_no_events_leave_the_world_s_trips(town: World) -> None:
    assert fold(town, []) == State(trips=town.trips)


def test_a_booking_becomes_a_trip_with_a_code_of_its_own(town: World) -> None:
    listing, room, stay = _free_stay(town)
    state = fold(town, [_booked(town, listing, room, stay)])
    trip = state.trips[-1]
    assert (trip.room, trip.stay, trip.status) == (room.id, stay, "booked")
    assert len({one.code for one in state.trips}) == len(town.trips) + 1


def test_what_is_booked_cannot_be_booked_again_until_it_is_cancelled(town: World) -> None:
    listing, room, stay = _free_stay(town)
    events = [_booked(town, listing, room, stay)]
    state = fold(town, events)
    assert booking_refusal(town, fold(town, []), listing=listing, room=room, stay=stay) == ""
    assert booking_refusal(town, state, listing=listing, room=room, stay=stay) == "not_free"
    events.append(("cancelled", {"trip": state.trips[-1].code, "fee": 1250}))
    after = fold(town, events)
    assert booking_refusal(town, after, listing=listing, room=room, stay=stay) == ""
    assert after.fees == (FeePaid(state.trips[-1].code, "cancellation", 1250),)


def test_booking_the_same_stay_again_gives_another_code(town: World) -> None:
    event = _booked(town, *_free_stay(town))
    first = fold(town, [event]).trips[-1].code
    again = fold(town, [event, ("cancelled", {"trip": first, "fee": 0}), event])
    assert [trip.status for trip in again.trips[-2:]] == ["cancelled", "booked"]
    assert again.trips[-1].code != first


def test_a_change_moves_the_trip_and_keeps_its_code(town: World) -> None:
    trip = next(one for one in town.trips if one.status == "booked")
    moved = {"trip": trip.code, "check_in": "2027-09-01", "check_out": "2027-09-04", "price": 1, "fee": 900}
    state = fold(town, [("changed", moved)])
    after = state.trip(trip.code)
    assert after is not None
    assert (after.check_in, after.price, after.room) == (date(2027, 9, 1), 1, trip.room)
    assert state.fees == (FeePaid(trip.code, "change", 900),)


def test_irrelevant_events_change_nothing(town: World) -> None:
    past = next(one for one in town.trips if one.status == "past")
    events = [
        ("page_served", {"path": "/"}),
        ("cancelled", {"trip": "XXXXXX", "fee": 500}),
        ("cancelled", {"trip": past.code, "fee": 500}),
    ]
    assert fold(town, events) == fold(town, [])


def test_closed_banners_and_searches_are_stored_once(town: World) -> None:
    search = {"place": "Old Harbour", "guests": 2}
    events = [
        ("banner_closed", {"name": "cookies"}),
        ("recent_search", search),
        ("recent_search", {"place": "x"}),
    ]
    state = fold(town, [*events, *events[:2]])
    assert state.closed == {"cookies"}
    assert state.searches == ({"place": "x"}, search)
    assert plain(state)["closed"] == ["cookies"]


def test_a_refused_stay_names_the_reason_that_applies(town: World) -> None:
    listing, room, stay = _free_stay(town)
    state = fold(town, [])

    def reason(**facts: object) -> str:
        requested = Stay(**{"check_in": stay.check_in, "check_out": stay.check_out, "guests": 1, **facts})  # type: ignore[arg-type]
        return booking_refusal(town, state, listing=listing, room=room, stay=requested)

    assert reason(check_out=stay.check_in) == "dates"
    assert reason(check_in=FIRST_DAY - timedelta(days=1)) == "dates"
    assert reason(check_out=FIRST_DAY + timedelta(days=NIGHTS + 1)) == "dates"
    assert reason(guests=room.sleeps + 1) == "too_many_guests"
    assert reason(guests=0) == "too_many_guests"


def test_a_trip_may_be_moved_onto_its_own_nights(town: World) -> None:
    listing, room, stay = _free_stay(town)
    state = fold(town, [_booked(town, listing, room, stay)])
    trip = state.trips[-1]
    later = Stay(
        check_in=stay.check_in + timedelta(days=1), check_out=stay.check_out + timedelta(days=1), guests=1
    )
    change = {"listing": listing, "room": room, "trip": trip, "stay": later}
    soon = stay.check_in - timedelta(days=listing.policy.change_days)
    assert change_refusal(town, state, on=soon, **change) == ""
    assert change_refusal(town, state, on=soon + timedelta(days=1), **change) == "too_late"


def test_a_trip_cannot_be_moved_to_its_own_dates(town: World) -> None:
    listing, room, stay = _free_stay(town)
    state = fold(town, [_booked(town, listing, room, stay)])
    trip = state.trips[-1]
    change = {"listing": listing, "room": room, "trip": trip, "stay": trip.stay}
    soon = stay.check_in - timedelta(days=listing.policy.change_days)
    assert change_refusal(town, state, on=soon, **change) == "same_dates"


def _policy(*tiers: Tier) -> Policy:
    return Policy(name="x", tiers=tiers, change_cents=0, change_days=2)


def test_the_policy_tier_follows_from_the_days_left() -> None:
    policy = _policy(Tier(10, 0), Tier(4, 50), Tier(0, 100))
    arrival = date(2027, 5, 20)
    reached = [
        tier(policy, check_in=arrival, on=arrival - timedelta(days=days)).percent for days in (11, 10, 9)
    ]
    assert reached == [0, 0, 50]
    assert tier(policy, check_in=arrival, on=arrival + timedelta(days=3)).percent == 100
    assert free_until(policy, arrival) == date(2027, 5, 10)
    assert free_until(_policy(Tier(0, 100)), arrival) is None
    assert can_change(policy, check_in=arrival, on=date(2027, 5, 18))


def test_cancelling_costs_the_share_or_the_first_night(town: World) -> None:
    for listing in town.listings:
        room = listing.rooms[0]
        stay = Stay(check_in=date(2027, 6, 1), check_out=date(2027, 6, 4), guests=1)
        priced = quote(town, listing, room, stay)
        trip = Trip(
            code="A", listing=listing.id, room=room.id, check_in=stay.check_in, check_out=stay.check_out,
            guests=1, price=priced.total, status="booked",
        )  # fmt: skip
        last = listing.policy.tiers[-1]
        due = priced.nights[0] if last.first_night else (priced.total * last.percent + 50) // 100
        assert cancelling_fee(town, listing, trip, on=stay.check_in) == due
        assert cancel_refusal(trip, on=stay.check_in) == "too_late"
        assert cancel_refusal(trip, on=FIRST_DAY) == ""


def test_listings_and_rooms_are_looked_up_by_id(town: World) -> None:
    listing = town.listings[3]
    assert find_listing(town, listing.id) is listing
    assert find_room(listing, listing.rooms[0].id) is listing.rooms[0]
    assert find_listing(town, "L-0") is None
    assert find_room(listing, "R-0") is None


def test_a_free_stretch_ends_where_a_night_is_taken(town: World) -> None:
    rooms = [room for listing in town.listings[:20] for room in listing.rooms]
    for room in rooms:
        night = first_free(room, nights=5, since=7)
        assert night is not None
        arrival = FIRST_DAY + timedelta(days=night)
        assert is_free(town, room, arrival, arrival + timedelta(days=5))
        earlier = [FIRST_DAY + timedelta(days=day) for day in range(7, night)]
        assert not any(is_free(town, room, day, day + timedelta(days=5)) for day in earlier)


def test_nights_before_the_first_day_are_not_in_the_calendar(town: World) -> None:
    before = FIRST_DAY - timedelta(days=3)
    assert nights_mask(town, before, FIRST_DAY + timedelta(days=2)) == 0b11
    assert nights_mask(town, before, FIRST_DAY) == 0
