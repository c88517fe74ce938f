"""Ground truth computed independently: night by night, in fractions, without the pages' arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Any

from tasks_app.families.stays.common import drafts
from tasks_app.worlds.stays.types import Listing, Room, World


def list_days(given: Any) -> list[date]:
    first, last = date.fromisoformat(given["check_in"]), date.fromisoformat(given["check_out"])
    return [date.fromordinal(day) for day in range(first.toordinal(), last.toordinal())]


def rounded(number: Fraction) -> int:
    return floor(number + Fraction(1, 2))


def night(world: World, listing: Listing, room: Room, day: date) -> int:
    factor = Fraction(world.town.seasons[day.month - 1], 100)
    if day.strftime("%w") in "56":
        factor *= 1 + Fraction(listing.weekend_percent, 100)
    index = room.offset + day.toordinal() - world.first_day.toordinal()
    factor *= 1 + Fraction(world.jitter[index % len(world.jitter)], 100)
    return rounded(room.base_cents * factor)


def total(world: World, listing: Listing, room: Room, given: Any) -> int:
    days = list_days(given)
    guests: int = given["guests"]
    lodging = sum(night(world, listing, room, day) for day in days)
    for guest in range(guests):
        if guest >= room.included:
            lodging += len(days) * room.extra_cents
    fees = listing.fees
    if fees.long_stay_nights and len(days) >= fees.long_stay_nights:
        lodging -= rounded(Fraction(lodging * fees.long_stay_percent, 100))
    is_hotel = listing.kind == "Hotel" or listing.kind == "Hostel"
    tax = world.town.tax.hotel_cents if is_hotel else world.town.tax.other_cents
    taxed = sum(1 for place, _ in enumerate(days) if place < world.town.tax.nights)
    return (
        lodging
        + rounded(Fraction(lodging * fees.service_percent, 100))
        + fees.cleaning_cents
        + tax * taxed * guests
    )


def is_taken(world: World, room: Room, day: date, *, but: str = "") -> bool:
    index = (day - world.first_day).days
    if not 0 <= index < 400:
        return True
    if room.taken[index // 8] >> index % 8 & 1:
        return True
    return any(
        trip.room == room.id and trip.status == "booked" and trip.code != but
        and trip.check_in <= day < trip.check_out
        for trip in world.trips
    )  # fmt: skip


def is_bookable(world: World, listing: Listing, room: Room, given: Any, *, but: str = "") -> bool:
    days = list_days(given)
    if given["guests"] > room.sleeps or len(days) < listing.rules.min_nights:
        return False
    return not any(is_taken(world, room, day, but=but) for day in days)


def fails(listing: Listing, room: Room, cents: int, condition: Any) -> bool:
    kind, value = condition
    free = [tier.days for tier in listing.policy.tiers if not tier.percent and not tier.first_night]
    failed: dict[str, Callable[[], bool]] = {
        "room_has": lambda: value not in room.amenities,
        "house_has": lambda: value not in listing.amenities,
        "without": lambda: value in listing.amenities or value in room.amenities,
        "rating": lambda: listing.rating < int(value),
        "budget": lambda: cents > int(value),
        "cancel": lambda: not free or min(free) > int(value),
    }
    return failed[kind]()


def failing(world: World, given: Any) -> list[tuple[list[int], int, Listing, Room]]:
    """List every bookable room in the places, with the indexes of its failed conditions and its total."""
    rooms = []
    for listing, room in drafts.pairs(world):
        if listing.neighbourhood not in given["places"] or not is_bookable(world, listing, room, given):
            continue
        cents = total(world, listing, room, given)
        failed = [
            place
            for place, condition in enumerate(given["conditions"])
            if fails(listing, room, cents, condition)
        ]
        rooms.append((failed, cents, listing, room))
    return rooms


def cancelling(world: World, code: str) -> int:
    """Compute the fee for cancelling a trip now. Raises ``ValueError`` for a policy without a last tier."""
    trip = next(trip for trip in world.trips if trip.code == code)
    listing, room = drafts.room_numbered(world, trip.room)
    left = trip.check_in.toordinal() - world.first_day.toordinal()
    for tier in listing.policy.tiers:
        if tier.days > left:
            continue
        if tier.first_night:
            return min(night(world, listing, room, trip.check_in), trip.price)
        return rounded(Fraction(trip.price * tier.percent, 100))
    raise ValueError("a policy's last tier must begin 0 days before arrival")
