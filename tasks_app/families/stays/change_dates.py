"""Moving a booked trip to other dates: given ones, the first possible ones, or the cheapest in some weeks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from core.draws import Draws
from tasks_app.families.milestones import once, seen
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, drafts, goals, milestones, moves
from tasks_app.families.types import GoldFacts, SiteEvents, SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.formats import day_text
from tasks_app.worlds.stays.bookings import change_refusal
from tasks_app.worlds.stays.calendar import is_free, is_in_calendar
from tasks_app.worlds.stays.quotes import euros, quote
from tasks_app.worlds.stays.state import Event, State
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

WORDING = wording(__name__)

TRIES = 60
NEAR = timedelta(days=10)
"""Number of days around the right arrival from which wrong arrivals are taken."""
# Level: how the new dates are given, whether the house has two trips, number of days to search.
SHAPES = {
    1: ("named", False, 1),
    2: ("named", True, 1),
    3: ("first", True, 40),
    4: ("cheapest", False, 10),
    5: ("cheapest", True, 21),
}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    how, is_double, width = SHAPES[level]
    trips = goals.upcoming(world)
    houses = [trip.listing for trip in trips]
    chosen = [trip for trip in trips if (houses.count(trip.listing) > 1) == is_double]
    for _ in range(TRIES):
        trip = draws.pick(chosen)
        first = trip.check_in + timedelta(days=draws.whole(-20, 60))
        if first < world.first_day:
            continue
        stay = _target(world, trip, how, first, width)
        if stay is not None:
            return _task(world, draws, trip, stay, first, level)
    return None


def _options(world: World, trip: Trip, first: date, width: int) -> list[Stay]:
    """List the stays to which the trip can be moved without changing its length, by arrival."""
    listing, room = drafts.room_numbered(world, trip.room)
    state = State(trips=world.trips)
    moved = (drafts.shift(trip.stay, (first - trip.check_in).days + day) for day in range(width))
    return [
        stay
        for stay in moved
        if not change_refusal(
            world, state, listing=listing, room=room, trip=trip, stay=stay, on=world.first_day
        )
    ]


def _target(world: World, trip: Trip, how: str, first: date, width: int) -> Stay | None:
    """Return the new stay, or None if the rule sets no trap or the trip's current dates would satisfy it."""
    options = _options(world, trip, first, width)
    if not options or (how == "first" and options[0].check_in == first):
        return None
    if how != "cheapest":
        return None if first <= trip.check_in < options[0].check_in else options[0]
    listing, room = drafts.room_numbered(world, trip.room)
    priced = sorted((quote(world, listing, room, stay).total, stay.check_in, stay) for stay in options)
    if len(priced) < 3 or priced[0][0] == priced[1][0] or priced[0][1] == options[0].check_in:
        return None
    is_within = 0 <= (trip.check_in - first).days < width
    if is_within and quote(world, listing, room, trip.stay).total <= priced[0][0]:
        return None
    return priced[0][2]


def _task(world: World, draws: Draws, trip: Trip, stay: Stay, first: date, level: int) -> SiteTask:
    how, _, width = SHAPES[level]
    listing, room = drafts.room_numbered(world, trip.room)
    last = first + timedelta(days=width - 1)
    rule = WORDING.text(draws, f"to_{how}", first=day_text(first), last=day_text(last))
    events = [_change(world, listing, room, trip, stay)]
    end = last if how == "cheapest" else stay.check_in
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, trip=goals.trip_text(world, trip), rule=rule),
        answer=(euros(events[0][1]["price"] + events[0][1]["fee"]), trip.code),
        fields=WORDING.fields,
        forms=moves.FORMS,
        goal=goals.build_goal(world, events),
        needs=(
            "trips",
            f"listing/{listing.id}/policy",
            drafts.fees_need(listing),
            *_nights_needed(world, trip, first, (end - first).days + 1),
        ),
        oracle_steps=_moves(world, trip, stay, first, how, width),
        given={
            "trip": trip.code, "how": how, "first": first.isoformat(), "width": width,
        },
    )  # fmt: skip


def _nights_needed(world: World, trip: Trip, first: date, width: int) -> tuple[str, ...]:
    """Name the facts that give each possible stay's price, or that other guests occupy the room."""
    listing, room = drafts.room_numbered(world, trip.room)
    nights = timedelta(days=trip.stay.nights)
    arrivals = [first + timedelta(days=day) for day in range(width)]
    offered = [arrival for arrival in arrivals if is_in_calendar(world, arrival, arrival + nights)]
    taken = [arrival for arrival in offered if not is_free(world, room, arrival, arrival + nights)]
    options = [stay.check_in for stay in _options(world, trip, first, width)]
    return (
        *drafts.full_needs(listing, room, taken, nights=nights.days),
        *(drafts.price_need(listing, room, arrival, arrival + nights) for arrival in options),
    )


def _moves(world: World, trip: Trip, stay: Stay, first: date, how: str, width: int) -> int:
    """Count the moves to read the calendar; arrivals on the trip's own nights are priced one by one."""
    asking_once = 3
    if how == "named":
        return 2 + asking_once + 1 + moves.HANDING_IN
    last = stay.check_in if how == "first" else first + timedelta(days=width - 1)
    reading = 4 + moves.months(world.first_day, last + timedelta(days=stay.nights - 1))
    own = set(trip.stay.days)
    unpriced = sum(bool(own & set(option.days)) for option in _options(world, trip, first, width))
    priced = unpriced + 2 if how == "cheapest" and unpriced else 1
    return reading + 2 + asking_once * priced + 1 + moves.HANDING_IN


def _change(world: World, listing: Listing, room: Room, trip: Trip, stay: Stay) -> Event:
    data = {
        "trip": trip.code,
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "price": quote(world, listing, room, stay).total,
        "fee": listing.policy.change_cents,
    }
    return "changed", data


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer as if the right rule applied to another trip, in the same house if possible."""
    trip = next(other for other in world.trips if other.code == task.given["trip"])
    others = [other for other in goals.upcoming(world) if other.code != trip.code]
    other = min(others, key=lambda candidate: (candidate.listing != trip.listing, candidate.check_in))
    listing, room = drafts.room_numbered(world, other.room)
    after = next(record for record in (task.goal or {})["state"]["trips"] if record["code"] == trip.code)
    stay = drafts.shift(other.stay, (date.fromisoformat(after["check_in"]) - other.check_in).days)
    cents = quote(world, listing, room, stay).total + listing.policy.change_cents
    return euros(cents), other.code


def wrong_actions(world: World, task: SiteTask) -> tuple[SiteEvents, ...]:
    """List wrong actions: other arrivals near the right one, other trips, or cancelling and rebooking."""
    after = (task.goal or {})["state"]["trips"]
    trip = next(other for other in world.trips if other.code == task.given["trip"])
    arrival = date.fromisoformat(next(record["check_in"] for record in after if record["code"] == trip.code))
    stay = drafts.shift(trip.stay, (arrival - trip.check_in).days)
    moved = [
        *((trip, other) for other in _options(world, trip, arrival - NEAR, 2 * NEAR.days) if other != stay),
        *(
            (other, there)
            for other in goals.upcoming(world)
            if other is not trip
            for there in _options(world, other, arrival, 1)
        ),
    ]
    rebooked = (
        goals.cancelled(world, trip),
        goals.booked(world, *drafts.room_numbered(world, trip.room), stay),
    )
    changed = (_change(world, *drafts.room_numbered(world, other.room), other, to) for other, to in moved)
    return (*((event,) for event in changed), rebooked)


def check(world: World, task: SiteTask) -> bool:
    given = task.given
    trip = next(other for other in world.trips if other.code == given["trip"])
    listing, room = drafts.room_numbered(world, trip.room)
    first = date.fromisoformat(given["first"])
    open_stays = []
    for step in range(given["width"]):
        arrival = first + timedelta(days=step)
        stay = {
            "check_in": arrival.isoformat(),
            "check_out": (arrival + timedelta(days=trip.stay.nights)).isoformat(),
            "guests": trip.guests,
        }
        if brute_force.is_bookable(world, listing, room, stay, but=trip.code):
            open_stays.append((brute_force.total(world, listing, room, stay), arrival))
    cents, arrival = min(open_stays) if given["how"] == "cheapest" else open_stays[0]
    after = next(other for other in (task.goal or {})["state"]["trips"] if other["code"] == trip.code)
    return (
        task.answer == (f"{(cents + listing.policy.change_cents) / 100:.2f}", trip.code)
        and (after["check_in"], after["price"], after["room"]) == (arrival.isoformat(), cents, room.id)
        and (trip.check_in - world.first_day).days >= listing.policy.change_days
    )


def _is_changed(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
    return kind == "changed" and data["trip"] == gold.given["trip"]


def _is_moved(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
    trip = milestones.answers_trip(gold) or {}
    return _is_changed(gold, kind, data) and data["check_in"] == trip.get("check_in")


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    wrong_actions=wrong_actions,
    milestones=(
        milestones.OPENED_TRIPS,
        seen("saw_every_month", lambda gold: [need for need in gold.needs if "/room/" in need]),
        once("changed_right_trip", _is_changed),
        once("changed_to_right_dates", _is_moved),
    ),
)
