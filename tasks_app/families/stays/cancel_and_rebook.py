"""Cancel a trip under its policy and book, in its place, the first of some rooms that is not full."""

from __future__ import annotations

from gymsite.core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.stays import _asking as asking
from tasks_app.families.stays import _brute as brute
from tasks_app.families.stays import _doing as doing
from tasks_app.families.types import Family, SiteTask
from tasks_app.worlds.stays.calendar import nights_mask, taken
from tasks_app.worlds.stays.quotes import cancelling_fee
from tasks_app.worlds.stays.state import Event
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

FIELDS = ("Fee for cancelling in euros", "Confirmation code of the new booking")
TRIES = 60
LESS_FREE = 0.95
"""Most policies cost nothing for long: so many of those draws are thrown away."""
# Level: trips to choose from, rooms in the order of preference, nights at most that keep the full ones full.
SHAPES = {1: (1, 2, 6), 2: (1, 3, 3), 3: (2, 3, 2), 4: (3, 4, 2), 5: (3, 5, 1)}
OPENINGS = {
    True: (
        "Cancel my trip to {trips}.",
        "I do not want to go to {trips} any more; cancel it.",
        "Please cancel the booking of {trips}.",
    ),
    False: (
        "Of my trips to {trips}, cancel the one that costs least to cancel today.",
        "One of these trips has to go: {trips}. Cancel the one with the lowest fee as of today.",
    ),
}
INSTEAD = (
    (
        "For the same dates and as many guests, book instead the first of these rooms that is free for all "
        "the nights: {rooms}."
    ),
    "In its place, for the same dates and guests, take {rooms}: the first in this order that is not full.",
)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, choices, most = SHAPES[level]
    for _ in range(TRIES):
        trips = draws.sample(doing.upcoming(world), count)
        fees = sorted((_fee(world, trip), trip.code) for trip in trips)
        is_tied = count > 1 and fees[0][0] == fees[1][0]
        if is_tied or (fees[0][0] == 0 and draws.chance(LESS_FREE)):
            continue
        trip = next(one for one in trips if one.code == fees[0][1])
        rooms = _choices(world, draws, trip, choices, most)
        if rooms:
            return _task(world, draws, trips, trip, rooms, level)
    return None


def _fee(world: World, trip: Trip) -> int:
    listing = asking.listing_named(world, trip.listing)
    return cancelling_fee(world, listing, trip, on=world.first_day)


def _choices(world: World, draws: Draws, trip: Trip, count: int, most: int) -> list[tuple[Listing, Room]]:
    """Rooms of different houses: one or more that are nearly free, then one that is, then any."""
    mask = nights_mask(world, trip.check_in, trip.check_out)
    full, free = [], []
    for listing, room in asking.untouched(world):
        if asking.can_book(world, listing, room, trip.stay):
            free.append((listing, room))
        elif room.sleeps >= trip.guests and 0 < (taken(room) & mask).bit_count() <= most:
            full.append((listing, room))
    fulls = draws.whole(1, count - 1)
    if len(full) < fulls or len(free) < count - fulls:
        return []
    chosen = [*draws.sample(full, fulls), *draws.sample(free, count - fulls)]
    is_spread = len({listing.id for listing, _ in chosen}) == count
    return chosen if is_spread and all(_is_long_enough(listing, trip.stay) for listing, _ in chosen) else []


def _is_long_enough(listing: Listing, stay: Stay) -> bool:
    return listing.rules.min_nights <= stay.nights


def _task(
    world: World,
    draws: Draws,
    trips: list[Trip],
    trip: Trip,
    rooms: list[tuple[Listing, Room]],
    level: int,
) -> SiteTask:
    listing, room = next(
        (listing, room) for listing, room in rooms if asking.can_book(world, listing, room, trip.stay)
    )
    events = _events(world, trip, listing, room)
    said = "; ".join(
        f"({place}) {room.name} at {listing.name}" for place, (listing, room) in enumerate(rooms, start=1)
    )
    opening = draws.pick(OPENINGS[len(trips) == 1]).format(
        trips=asking.listed([doing.trip_text(world, one) for one in trips])
    )
    return SiteTask(
        family="cancel_and_rebook",
        level=level,
        wording=(
            f"{opening} {draws.pick(INSTEAD).format(rooms=said)} {doing.RULE} Give the fee for cancelling "
            f"(0.00 if there is none) and the confirmation code of the new booking. {asking.AMOUNTS}"
        ),
        answer=(asking.amount(_fee(world, trip)), doing.new_trip(world, events).code),
        fields=FIELDS,
        goal=doing.goal_of(world, events),
        needs=(
            "trips",
            *(f"listing/{one.listing}/policy" for one in trips),
            *asking.calendar_needs(listing, room, trip.stay.days)[:-1],
        ),
        oracle_steps=6 + 4 * len(trips) + 6 * len(rooms) + asking.ANSWER_STEPS,
        given={
            "trips": [one.code for one in trips],
            "rooms": [room.id for _, room in rooms],
        },
    )


def _events(world: World, trip: Trip, listing: Listing, room: Room) -> list[Event]:
    return [
        ("cancelled", {"trip": trip.code, "fee": _fee(world, trip)}),
        doing.booked(world, listing, room, trip.stay),
    ]


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """The next free room of the list, or else the right one a night late."""
    fees = {trip: _fee(world, trip) for trip in world.trips if trip.code in task.given["trips"]}
    trip = min(fees, key=lambda one: fees[one])
    rooms = [asking.room_numbered(world, number) for number in task.given["rooms"]]
    free = [one for one in rooms if asking.can_book(world, *one, trip.stay)]
    stay = trip.stay if len(free) > 1 else asking.shifted(trip.stay, 1)
    event = doing.booked(world, *free[-1], stay)
    return task.answer[0], doing.new_trip(world, [event]).code


def check(world: World, task: SiteTask) -> bool:
    fees = {code: brute.cancelling(world, code) for code in task.given["trips"]}
    code = min(fees, key=lambda one: fees[one])
    trip = next(one for one in world.trips if one.code == code)
    stay = asking.stay_given(trip.stay)
    found = (brute.find(world, number) for number in task.given["rooms"])
    listing, room = next(one for one in found if brute.is_bookable(world, *one, stay))
    after = (task.goal or {})["state"]
    made = [one for one in after["trips"] if one["code"] == task.answer[1]]
    return (
        list(fees.values()).count(fees[code]) == 1
        and task.answer[0] == f"{fees[code] / 100:.2f}"
        and [one["room"] for one in made] == [room.id]
        and made[0]["price"] == brute.total(world, listing, room, stay)
        and [one["code"] for one in after["trips"] if one["status"] == "cancelled"] == [code]
        and sum(one["cents"] for one in after["fees"]) == fees[code]
    )


family(
    Family(
        id="cancel_and_rebook",
        site="stays",
        title="Cancel a trip and book the second choice",
        splits=("train", "test"),
        draw=draw,
        wrong=wrong,
        check=check,
    )
)
