"""Prices of stays, line by line, and fees for cancelling them, in whole cents with halves rounded up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from tasks_app.worlds.stays.calendar import night_price, night_prices
from tasks_app.worlds.stays.types import HOTEL_KINDS, Listing, Policy, Room, Stay, Tier, Trip, World


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    nights: tuple[int, ...]
    """Price of each night, in order."""
    lines: tuple[Line, ...]

    @property
    def total(self) -> int:
        return sum(line.cents for line in self.lines)


LABELS = ("Extra guests", "Long-stay discount", "Cleaning fee", "Service fee")
"""Labels of the lines between the nights and the tax."""


class Costs(NamedTuple):
    """The parts of a stay's price in cents, 0 if there is no such cost."""

    nights: int
    extra: int
    discount: int
    """Zero or negative."""
    cleaning: int
    service: int
    tax: int


def quote(world: World, listing: Listing, room: Room, stay: Stay) -> Quote:
    """Return the price of the stay, whether or not the room is free."""
    nights = night_prices(world, listing, room, stay.check_in, nights=stay.nights)
    costs = _costs(world, listing, room, stay, sum(nights))
    lines = [Line(f"{stay.nights} nights" if stay.nights > 1 else "1 night", costs.nights)]
    lines += [Line(label, cents) for label, cents in zip(LABELS, costs[1:-1], strict=True) if cents]
    return Quote(nights=tuple(nights), lines=(*lines, Line("City tax", costs.tax)))


def costs(world: World, listing: Listing, room: Room, stay: Stay) -> Costs:
    """Return the sums behind ``quote``, for comparing the prices of many rooms."""
    nights = night_prices(world, listing, room, stay.check_in, nights=stay.nights)
    return _costs(world, listing, room, stay, sum(nights))


def _costs(world: World, listing: Listing, room: Room, stay: Stay, nights: int) -> Costs:
    fees, count = listing.fees, stay.nights
    extra = max(stay.guests - room.included, 0) * room.extra_cents * count
    is_long = 0 < fees.long_stay_nights <= count
    discount = -percent(nights + extra, fees.long_stay_percent) if is_long else 0
    service = percent(nights + extra + discount, fees.service_percent)
    tax = tax_cents(world, listing) * stay.guests * min(count, world.town.tax.nights)
    return Costs(nights, extra, discount, fees.cleaning_cents, service, tax)


def percent(cents: int, share: int) -> int:
    return (cents * share + 50) // 100


def tax_cents(world: World, listing: Listing) -> int:
    """Return the tax in cents per person and night."""
    tax = world.town.tax
    return tax.hotel_cents if listing.kind in HOTEL_KINDS else tax.other_cents


def tier(policy: Policy, *, check_in: date, on: date) -> Tier:
    """Return the policy's tier that applies on a day; from the day of arrival on, this is the last tier."""
    days = max((check_in - on).days, 0)
    return next(tier for tier in policy.tiers if days >= tier.days)


def cancelling_fee(world: World, listing: Listing, trip: Trip, *, on: date) -> int:
    """Return the fee for cancelling the trip on a day: a share of its price, or its first night."""
    reached = tier(listing.policy, check_in=trip.check_in, on=on)
    if not reached.first_night:
        return percent(trip.price, reached.percent)
    room = next(room for room in listing.rooms if room.id == trip.room)
    return min(night_price(world, listing, room, trip.check_in), trip.price)


def free_until(policy: Policy, check_in: date) -> date | None:
    """Return the last day of free cancellation, or None if there is none."""
    first = policy.tiers[0]
    return check_in - timedelta(days=first.days) if first.is_free else None


def can_change(policy: Policy, *, check_in: date, on: date) -> bool:
    return (check_in - on).days >= policy.change_days


def euros(cents: int) -> str:
    """Format cents in euros, such as ``41250`` as ``412.50``."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"
