"""Search results: filtering, sorting and paging, limited to values that the page offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from gymsite.arena.sites.stays._query import StayRequest, number_read, stay_query
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.calendar import night_prices
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import Listing, Room, Stay, World
from tasks_app.worlds.stays.vocabulary import KINDS

PER_PAGE = 12
NAME_CHARS = 60
RATINGS = (90, 80, 70)
PRICES = (60, 90, 120, 160, 220, 300)
"""Upper limits on the price per night, in euros."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    listing: Listing
    cents: int = 0
    """Mean price per night in the house's cheapest free room; 0 if there are no dates."""
    is_exact: bool = False
    """True if the house has only one room, and mean price times nights is exactly the total."""


@dataclass(frozen=True, kw_only=True)
class Filters:
    place: str = ""
    name: str = ""
    areas: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    amenities: tuple[str, ...] = ()
    rating: int = 0
    price: int = 0
    sort: str = "recommended"
    page: int = 1

    @property
    def is_narrowed(self) -> bool:
        return bool(self.areas or self.kinds or self.amenities or self.rating or self.price)

    def query(self, requested: StayRequest, *, page: int) -> str:
        """Return the query of a page of the same results."""
        chosen = [("place", self.place), ("name", self.name), *_dates(requested)]
        chosen += [("area", area) for area in self.areas]
        chosen += [("kind", kind) for kind in self.kinds]
        chosen += [("amenity", amenity) for amenity in self.amenities]
        chosen += [("rating", str(self.rating or "")), ("price", str(self.price or ""))]
        chosen += [("sort", self.sort), ("page", str(page))]
        return urlencode([(name, value) for name, value in chosen if value])


SORTS: dict[str, tuple[str, Callable[[Hit], tuple[object, ...]] | None]] = {
    "recommended": ("Recommended", None),
    "price": ("Price per night, lowest first", lambda hit: (hit.cents, hit.listing.id)),
    "rating": ("Guest rating, highest first", lambda hit: (-hit.listing.rating, hit.listing.id)),
    "name": ("Name", lambda hit: (hit.listing.name, hit.listing.id)),
    "centre": ("Distance from the centre", lambda hit: (hit.listing.centre_metres, hit.listing.id)),
}


def filters_read(world: World, query: QueryDict, *, has_dates: bool) -> Filters:
    """Parse the filters, ignoring values that are not offered; prices are not offered without dates."""
    sort = query.get("sort", "")
    is_offered = sort in SORTS and (has_dates or sort != "price")
    return Filters(
        place=_offered(query.get("place", ""), world.town.neighbourhoods),
        name=" ".join(query.get("name", "").split())[:NAME_CHARS],
        areas=_chosen(query.getlist("area"), world.town.neighbourhoods),
        kinds=_chosen(query.getlist("kind"), KINDS),
        amenities=_chosen(query.getlist("amenity"), tuple(amenity.id for amenity in world.amenities)),
        rating=number_read(query.get("rating", ""), RATINGS) or 0,
        price=(number_read(query.get("price", ""), PRICES) or 0) if has_dates else 0,
        sort=sort if is_offered else "recommended",
        page=number_read(query.get("page", ""), range(1, len(world.listings))) or 1,
    )


def search_houses(world: World, state: State, requested: StayRequest, filters: Filters) -> list[Hit]:
    """Search and sort houses. If there are dates, list only houses that have a bookable room for them."""
    fitting = list(_available(world, state, requested.stay))
    if filters.is_narrowed or filters.place or filters.name:
        fitting = [hit for hit in fitting if _fits(hit, filters)]
    key = SORTS[filters.sort][1]
    return sorted(fitting, key=key) if key else fitting


def cut(fitting: list[Hit], filters: Filters) -> tuple[list[Hit], Filters, int]:
    """Return the page's hits, the filters corrected to a page that exists, and the number of pages."""
    pages = max(-(-len(fitting) // PER_PAGE), 1)
    number = min(filters.page, pages)
    return fitting[(number - 1) * PER_PAGE : number * PER_PAGE], replace(filters, page=number), pages


def mean_night(world: World, listing: Listing, room: Room, stay: Stay) -> int:
    """Return the mean price per night of a stay, in cents."""
    prices = night_prices(world, listing, room, stay.check_in, nights=stay.nights)
    return (2 * sum(prices) + len(prices)) // (2 * len(prices))


def _available(world: World, state: State, stay: Stay | None) -> tuple[Hit, ...]:
    if stay is None:
        return tuple(Hit(listing=listing) for listing in world.listings)
    return _free(world, tuple(trip for trip in state.trips if trip.status == "booked"), stay)


@cached_by_world(most=6)
def _free(world: World, trips: tuple[object, ...], stay: Stay) -> tuple[Hit, ...]:
    state = State(trips=trips)  # type: ignore[arg-type]
    free = []
    for listing in world.listings:
        prices = [
            mean_night(world, listing, room, stay)
            for room in listing.rooms
            if not booking_refusal(world, state, listing=listing, room=room, stay=stay)
        ]
        if prices:
            is_exact = len(listing.rooms) == 1 and _is_exact(world, listing, stay, prices[0])
            free.append(Hit(listing=listing, cents=min(prices), is_exact=is_exact))
    return tuple(free)


def _is_exact(world: World, listing: Listing, stay: Stay, mean: int) -> bool:
    nights = night_prices(world, listing, listing.rooms[0], stay.check_in, nights=stay.nights)
    return mean * stay.nights == sum(nights)


def _fits(hit: Hit, filters: Filters) -> bool:
    listing = hit.listing
    areas = filters.areas or ((filters.place,) if filters.place else ())
    return (
        (not areas or listing.neighbourhood in areas)
        and filters.name.casefold() in listing.name.casefold()
        and (not filters.kinds or listing.kind in filters.kinds)
        and listing.rating >= filters.rating
        and (not filters.price or hit.cents <= filters.price * 100)
        and all(_offers(listing, amenity) for amenity in filters.amenities)
    )


def _offers(listing: Listing, amenity: str) -> bool:
    """Return whether the page of the house lists ``amenity``, for the house itself or for a room."""
    return amenity in listing.amenities or any(amenity in room.amenities for room in listing.rooms)


def _offered(value: str, offered: tuple[str, ...]) -> str:
    return value if value in offered else ""


def _chosen(values: list[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for value in offered if value in values)


def _dates(requested: StayRequest) -> list[tuple[str, str]]:
    return list(stay_query(requested.stay).items()) if requested.stay else []
