"""The town, its listings and the traveller's trips, drawn from a key.

A world consists of 120 to 180 listings with all facts that the pages show, except those that are drawn from
the same key on demand: descriptions, galleries and reviews (``text``, ``reviews``). Each listing's facts are
drawn from a separate stream and count nights from the first day, so a world can start on any date; only
weekends and seasons depend on the calendar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from core.draws import Draws
from tasks_app.worlds.cache import cache_size
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.stays.calendar import nights_mask
from tasks_app.worlds.stays.changes import nights_freed
from tasks_app.worlds.stays.listings import Naming, listing_draw, words_draw
from tasks_app.worlds.stays.quotes import quote
from tasks_app.worlds.stays.state import trip_code
from tasks_app.worlds.stays.types import Listing, Stay, Tax, Town, Trip, World
from tasks_app.worlds.stays.vocabulary import NAMES, amenities

JITTERS = 1009
"""Number of jitters: a prime larger than the calendar, so that no two rooms' prices move in step."""
MOST_JITTER = 9
SEASONS = (
    (82, 82, 88, 96, 104, 118, 132, 135, 112, 98, 84, 94),
    (122, 126, 112, 92, 86, 96, 108, 110, 94, 88, 86, 118),
    (88, 90, 98, 106, 114, 108, 100, 98, 110, 112, 96, 104),
)
UPCOMING_TRIPS = 5
NEVER_FREE_TRIPS = 3
"""Number of trip houses where cancelling always costs something; without these, fees would be rare."""


# A world takes 342 KiB, and what is cached for it takes at most as much again.
@lru_cache(maxsize=cache_size(megabytes=100, kib=350))
def world(key: bytes, *, edition: Edition = "train", first_day: date) -> World:
    """Draw the world of a key as of ``first_day``, identical to the byte on every machine."""
    draws = Draws(key, "stays", edition)
    town = _town(draws.at("town"), edition)
    naming = Naming(draws.at("names"), NAMES[edition])
    words = words_draw(draws.at("calendar"))
    listings = tuple(
        listing_draw(draws.at("listing", number), naming, words, town=town, edition=edition)
        for number in range(draws.whole(120, 180))
    )
    share = draws.at("jitter").share
    bare = World(
        key=key,
        edition=edition,
        first_day=first_day,
        town=town,
        amenities=amenities(edition),
        jitter=tuple(int(share() * (2 * MOST_JITTER + 1)) - MOST_JITTER for _ in range(JITTERS)),
        listings=listings,
        trips=(),
    )
    return _with_trips(bare, draws.at("trips"))


def _town(draws: Draws, edition: Edition) -> Town:
    names = NAMES[edition]
    name, country = draws.pick(names.towns)
    return Town(
        name=name,
        country=country,
        intro=draws.pick(names.intros),
        neighbourhoods=tuple(draws.sample(names.neighbourhoods, draws.whole(8, 12))),
        seasons=draws.pick(SEASONS),
        tax=Tax(
            hotel_cents=draws.whole(18, 70) * 5,
            other_cents=draws.whole(12, 50) * 5,
            nights=draws.whole(3, 10),
        ),
    )


def _with_trips(bare: World, draws: Draws) -> World:
    """Add the traveller's trips, which displace other guests."""
    trips: list[Trip] = []
    nights: dict[str, int] = {}
    for listing, stay in _stays(bare, draws):
        room = draws.pick([room for room in listing.rooms if room.sleeps >= stay.guests])
        is_past = stay.check_in < bare.first_day
        trips.append(
            Trip(
                code=trip_code(bare.key, room.id, stay),
                listing=listing.id,
                room=room.id,
                check_in=stay.check_in,
                check_out=stay.check_out,
                guests=stay.guests,
                price=quote(bare, listing, room, stay).total,
                status="past" if is_past else "booked",
            )
        )
        nights[room.id] = nights.get(room.id, 0) | nights_mask(bare, stay.check_in, stay.check_out)
    return replace(nights_freed(bare, nights), trips=tuple(trips))


def _stays(bare: World, draws: Draws) -> Iterator[tuple[Listing, Stay]]:
    """Draw two past and five upcoming trips in succession, three of them at the same house."""
    never_free = [listing for listing in bare.listings if not listing.policy.tiers[0].is_free]
    houses = draws.sample(never_free, NEVER_FREE_TRIPS)
    houses += draws.sample(
        [listing for listing in bare.listings if listing not in houses], UPCOMING_TRIPS - NEVER_FREE_TRIPS
    )
    houses = draws.shuffled(houses)
    order = [houses[4], houses[0], houses[0], houses[1], houses[2], houses[0], houses[3]]
    day = -draws.whole(60, 200)
    for number, listing in enumerate(order):
        nights = draws.whole(max(2, listing.rules.min_nights), 6)
        most = min(max(room.sleeps for room in listing.rooms), 4)
        check_in = bare.first_day + timedelta(days=day)
        yield (
            listing,
            Stay(check_in=check_in, check_out=check_in + timedelta(days=nights), guests=draws.whole(1, most)),
        )
        is_last_past = number == 1
        day = draws.whole(3, 16) if is_last_past else day + nights + draws.log_whole(3, 40)
        if number == 0:
            day = min(day, -10)
