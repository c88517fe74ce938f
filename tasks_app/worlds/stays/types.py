"""Values of the booking site's world. Money is whole cents of a euro, shares are whole percent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from tasks_app.worlds.editions import Edition

NIGHTS = 400
"""Nights of the calendar from the first day on; later ones cannot be booked."""
HOTEL_KINDS = ("Hotel", "Hostel")


@dataclass(frozen=True, slots=True)
class Amenity:
    id: str
    name: str
    group: str
    scope: Literal["house", "room", "both"]
    """The holder of the amenity: the house as a whole, a single room, or either without the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tax:
    """The town's tax per person and night, for the first ``nights`` nights of a stay."""

    hotel_cents: int
    other_cents: int
    nights: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    name: str
    country: str
    intro: str
    neighbourhoods: tuple[str, ...]
    seasons: tuple[int, ...]
    """Percent of the basic price by month, January first."""
    tax: Tax


@dataclass(frozen=True, slots=True)
class Tier:
    """Cost of cancelling from ``days`` days before the day of arrival: a share, or the first night."""

    days: int
    percent: int
    first_night: bool = False

    @property
    def is_free(self) -> bool:
        return self.percent == 0 and not self.first_night


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Tiers from the earliest to the last, which begins 0 days before arrival."""

    name: str
    tiers: tuple[Tier, ...]
    change_cents: int
    change_days: int
    """Dates can be changed until so many days before arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fees:
    cleaning_cents: int
    service_percent: int
    """Percent of the price of the nights after the discount, extra guests included."""
    long_stay_percent: int
    long_stay_nights: int
    """The fewest nights whose price is less by ``long_stay_percent``; 0 for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    arrive_from: int
    arrive_until: int
    leave_until: int
    quiet_from: int
    pets: str
    smoking: str
    parties: bool
    least_age: int
    min_nights: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    id: str
    name: str
    beds: str
    square_metres: int
    sleeps: int
    included: int
    """Guests included in the price of a night."""
    extra_cents: int
    """Cents for each further guest and night."""
    base_cents: int
    amenities: tuple[str, ...]
    offset: int
    """Start of this room's prices in the world's jitter."""
    taken: bytes
    """One bit a night from the first day, lowest first: 1 where other guests stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    id: str
    name: str
    kind: str
    neighbourhood: str
    street: str
    stars: int
    """1 to 5 for hotels, otherwise 0."""
    rating: int
    """Rating by the guests, in tenths of a point: 62 to 98."""
    ratings: int
    review_count: int
    centre_metres: int
    host: str
    weekend_percent: int
    """Percent of the price on the nights of Friday and Saturday."""
    amenities: tuple[str, ...]
    rooms: tuple[Room, ...]
    policy: Policy
    fees: Fees
    rules: Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Nights from ``check_in`` to the one before ``check_out``."""

    check_in: date
    check_out: date
    guests: int

    @property
    def nights(self) -> int:
        return (self.check_out - self.check_in).days

    def overlaps(self, other: Stay) -> bool:
        return self.check_in < other.check_out and other.check_in < self.check_out

    @property
    def days(self) -> list[date]:
        return [self.check_in + timedelta(days=night) for night in range(self.nights)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    code: str
    listing: str
    room: str
    check_in: date
    check_out: date
    guests: int
    price: int
    status: Literal["booked", "cancelled", "past"]

    @property
    def stay(self) -> Stay:
        return Stay(check_in=self.check_in, check_out=self.check_out, guests=self.guests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    author: str
    home: str
    month: str
    nights: int
    party: str
    room: str
    score: int
    title: str
    body: tuple[str, ...]
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class World:
    """Everything that the pages show; compared by identity, so that it can be a cache's key cheaply.

    ``first_day`` is the date of the episode's ``now`` when it was opened. ``key`` is secret: what is drawn
    only when asked for (descriptions, reviews, pictures, confirmation codes) is drawn from it.
    """

    key: bytes
    edition: Edition
    first_day: date
    town: Town
    amenities: tuple[Amenity, ...]
    jitter: tuple[int, ...]
    listings: tuple[Listing, ...]
    trips: tuple[Trip, ...]

    def listing(self, listing_id: str) -> Listing:
        """Return a listing. Raises ``StopIteration`` when there is none."""
        return next(listing for listing in self.listings if listing.id == listing_id)
