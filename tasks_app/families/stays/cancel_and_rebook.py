"""Cancelling a trip under its policy and booking the first room of a list that is still free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.draws import Draws
from tasks_app.families.milestones import once
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, drafts, goals, milestones, moves
from tasks_app.families.types import GoldFacts, SiteEvents, SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.stays.calendar import nights_mask
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.state import Event
from tasks_app.worlds.stays.types import Listing, Room, Trip, World

WORDING = wording(__name__)

TRIES = 60
FREE_SHARE = 0.05
"""Share of tasks that allow a fee of zero, because most policies cost nothing for a long time."""
WHOLE_SHARE = 0.1
"""Share of tasks that allow a fee equal to the whole price, which pages show anyway."""
# Level: trips to choose from, rooms in the list, maximum number of occupied nights of the full rooms.
SHAPES = {1: (1, 2, 6), 2: (1, 3, 3), 3: (2, 3, 2), 4: (3, 4, 2), 5: (3, 5, 1)}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, choices, most = SHAPES[level]
    may_be_free, may_be_whole = draws.chance(FREE_SHARE), draws.chance(WHOLE_SHARE)
    due = {trip.code: goals.fee(world, trip) for trip in goals.upcoming(world)}
    possible = [trip for trip in goals.upcoming(world) if may_be_free or due[trip.code]]
    for _ in range(TRIES if len(possible) >= count else 0):
        trips = draws.sample(possible, count)
        fees = sorted((due[trip.code], trip.code) for trip in trips)
        trip = next(other for other in trips if other.code == fees[0][1])
        is_tied = count > 1 and fees[0][0] == fees[1][0]
        if is_tied or (fees[0][0] == trip.price and not may_be_whole):
            continue
        rooms = _choices(world, draws, trip, choices, most)
        if rooms:
            return _task(world, draws, trips, trip, rooms, level)
    return None


def _choices(world: World, draws: Draws, trip: Trip, count: int, most: int) -> list[tuple[Listing, Room]]:
    """List rooms of different houses: at least one that is almost free, then free ones."""
    stay, own = nights_mask(world, trip.check_in, trip.check_out), {other.room for other in world.trips}
    free = [pair for pair in drafts.bookable(world, trip.stay) if pair[1].id not in own]
    full = [
        (listing, room)
        for listing, room, nights in drafts.lodgings(world)
        if 0 < (nights & stay).bit_count() <= most and room.sleeps >= trip.guests and room.id not in own
    ]
    fulls = draws.whole(1, count - 1)
    if len(full) < fulls or len(free) < count - fulls:
        return []
    chosen = [*draws.sample(full, fulls), *draws.sample(free, count - fulls)]
    is_spread = len({listing.id for listing, _ in chosen}) == count
    is_long_enough = all(listing.rules.min_nights <= trip.stay.nights for listing, _ in chosen)
    return chosen if is_spread and is_long_enough else []


def _task(
    world: World, draws: Draws, trips: list[Trip], trip: Trip, rooms: list[tuple[Listing, Room]], level: int
) -> SiteTask:
    listing, room = next(
        (listing, room) for listing, room in rooms if drafts.can_book(world, listing, room, trip.stay)
    )
    events = _events(world, trip, listing, room)
    listed = "; ".join(
        f"({place}) {room.name} at {listing.name}" for place, (listing, room) in enumerate(rooms, start=1)
    )
    opening = WORDING.text(
        draws,
        "one_trip" if len(trips) == 1 else "several_trips",
        trips=drafts.join_names([goals.trip_text(world, other) for other in trips]),
    )
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, opening=opening, rooms=listed),
        answer=(euros(goals.fee(world, trip)), goals.new_trip(world, events).code),
        fields=WORDING.fields,
        forms=moves.FORMS + len(rooms),
        goal=goals.build_goal(world, events),
        needs=(
            "trips",
            *(f"listing/{other.listing}/policy" for other in trips),
            drafts.price_need(listing, room, trip.check_in, trip.check_out),
        ),
        oracle_steps=_moves(trips, trip, tried=rooms.index((listing, room)) + 1),
        given={"trips": [other.code for other in trips], "rooms": [room.id for _, room in rooms]},
    )


def _moves(trips: list[Trip], trip: Trip, *, tried: int) -> int:
    """Count the moves to look up the fees of several trips and to open and leave each full room's house."""
    cancelling = 3 if len(trips) == 1 else 3 + 2 * len(trips)
    trying = moves.HOME + moves.searching(trip.stay) + 2 + 4 * (tried - 1)
    return cancelling + trying + 1 + moves.BOOKING + moves.HANDING_IN


def _events(world: World, trip: Trip, listing: Listing, room: Room) -> list[Event]:
    return [goals.cancelled(world, trip), goals.booked(world, listing, room, trip.stay)]


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the list's next free room or, without one, with the right room a night late."""
    fees = {trip: goals.fee(world, trip) for trip in world.trips if trip.code in task.given["trips"]}
    trip = min(fees, key=lambda option: fees[option])
    rooms = [drafts.room_numbered(world, number) for number in task.given["rooms"]]
    free = [option for option in rooms if drafts.can_book(world, *option, trip.stay)]
    stay = trip.stay if len(free) > 1 else drafts.shift(trip.stay, 1)
    event = goals.booked(world, *free[-1], stay)
    return task.answer[0], goals.new_trip(world, [event]).code


def wrong_actions(world: World, task: SiteTask) -> tuple[SiteEvents, ...]:
    """List wrong actions: cancel another trip, book another room or stay, or do only one of the two."""
    after = (task.goal or {})["state"]["trips"]
    booking = next(other for other in after if other["code"] == task.answer[1])
    gone = [other["code"] for other in after if other["status"] == "cancelled"]
    trips = {trip.code: trip for trip in world.trips if trip.code in task.given["trips"]}
    trip = next(trips[code] for code in gone if code in trips)
    rooms = {number: drafts.room_numbered(world, number) for number in task.given["rooms"]}
    cancelled, booked = _events(world, trip, *rooms.pop(booking["room"]))
    free = [pair for pair in rooms.values() if drafts.can_book(world, *pair, trip.stay)]
    right = drafts.room_numbered(world, booking["room"])
    instead = [
        *(goals.booked(world, *pair, trip.stay) for pair in free),
        *goals.booked_otherwise(world, *right, trip.stay, after=[cancelled]),
    ]
    return (
        *((goals.cancelled(world, other), booked) for other in trips.values() if other is not trip),
        *((cancelled, event) for event in instead),
        (cancelled,),
        (booked,),
    )


def check(world: World, task: SiteTask) -> bool:
    fees = {code: brute_force.cancelling(world, code) for code in task.given["trips"]}
    code = min(fees, key=lambda other: fees[other])
    trip = next(other for other in world.trips if other.code == code)
    stay = drafts.stay_given(trip.stay)
    options = (drafts.room_numbered(world, number) for number in task.given["rooms"])
    listing, room = next(other for other in options if brute_force.is_bookable(world, *other, stay))
    after = (task.goal or {})["state"]
    booked = [other for other in after["trips"] if other["code"] == task.answer[1]]
    return (
        list(fees.values()).count(fees[code]) == 1
        and task.answer[0] == f"{fees[code] / 100:.2f}"
        and [other["room"] for other in booked] == [room.id]
        and booked[0]["price"] == brute_force.total(world, listing, room, stay)
        and [other["code"] for other in after["trips"] if other["status"] == "cancelled"] == [code]
        and sum(other["cents"] for other in after["fees"]) == fees[code]
    )


def _is_cancelled(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
    after = {trip["code"]: trip["status"] for trip in (gold.goal or {}).get("trips", ())}
    cancelled = [code for code in gold.given["trips"] if after.get(code) == "cancelled"]
    return kind == "cancelled" and data["trip"] in cancelled


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    wrong_actions=wrong_actions,
    milestones=(
        milestones.OPENED_TRIPS,
        milestones.SAW_POLICIES,
        once("cancelled_right_trip", _is_cancelled),
        milestones.booked_right(),
    ),
)
