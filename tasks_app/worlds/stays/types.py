"""Types of the booking site's world. Amounts of money are whole euro cents, and shares are whole percent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from tasks_app.worlds.editions import Edition

NIGHTS = 400
"""Number of nights in the calendar, from the first day on; later ones cannot be booked."""
HOTEL_KINDS = ("Hotel", "Hostel")


@dataclass(frozen=True, slots=True)
class Amenity:
    id: str
    name: str
    group: str
    scope: Literal["house", "room", "both"]
    """Scope of the amenity: the house as a whole, a single room, or either independently of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tax:
    """The town's tax per person and night, charged for the first ``nights`` nights of a stay."""

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
    """Percentages of the base price by month, starting with January."""
    tax: Tax


@dataclass(frozen=True, slots=True)
class Tier:
    """Cost of cancelling from ``days`` days before arrival on: a percentage, or the first night."""

    days: int
    percent: int
    first_night: bool = False

    @property
    def is_free(self) -> bool:
        return self.percent == 0 and not self.first_night


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A cancellation policy. Its tiers are in order of time, and the last begins 0 days before arrival."""

    name: str
    tiers: tuple[Tier, ...]
    change_cents: int
    change_days: int
    """Dates can be changed until this many days before arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fees:
    cleaning_cents: int
    service_percent: int
    """Percentage of the price of the nights and extra guests after the discount."""
    long_stay_percent: int
    long_stay_nights: int
    """Minimum number of nights for a discount of ``long_stay_percent``; 0 if there is none."""


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
    """Number of guests that the price of a night includes."""
    extra_cents: int
    """Cents per night for each additional guest."""
    base_cents: int
    amenities: tuple[str, ...]
    offset: int
    """Index at which this room's prices start in the world's jitter."""
    taken: bytes
    """Bit mask of the nights on which other guests stay; the lowest bit is the night of the first day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    id: str
    name: str
    kind: str
    neighbourhood: str
    street: str
    stars: int
    """Number of stars from 1 to 5 for hotels, otherwise 0."""
    rating: int
    """Guest rating in tenths of a point, from 62 to 98."""
    ratings: int
    review_count: int
    centre_metres: int
    host: str
    weekend_percent: int
    """Percentage added to the price of Friday and Saturday nights."""
    amenities: tuple[str, ...]
    rooms: tuple[Room, ...]
    policy: Policy
    fees: Fees
    rules: Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A stay, whose nights run from ``check_in`` to the day before ``check_out``."""

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
    """Everything that the pages show. Worlds compare by identity, which makes them cheap cache keys.

    ``first_day`` is the date of the episode's ``now`` when it was opened. ``key`` is secret, because what is
    drawn only on demand (descriptions, reviews, pictures, confirmation codes) is drawn from it.
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
        """Return a listing. Raises ``StopIteration`` if it does not exist."""
        return next(listing for listing in self.listings if listing.id == listing_id)
