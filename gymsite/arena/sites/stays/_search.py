"""The home page and the results."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from gymsite.arena.sites.offers import Offer, no_such_page, not_offered
from gymsite.arena.sites.site import Event, Page, Visit, order_sections
from gymsite.arena.sites.stays import _facts as facts
from gymsite.arena.sites.stays import _results as results
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._page import page
from gymsite.arena.sites.stays._query import StayRequest, request_read, stay_query
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.formats import counted
from tasks_app.worlds.stays.pictures import front, town_view
from tasks_app.worlds.stays.text import distance
from tasks_app.worlds.stays.types import Listing, World
from tasks_app.worlds.stays.vocabulary import KINDS

RECENT = 3
SUGGESTED = 6
SECTIONS = ("home/find", "home/recent", "home/suggested")
"""Sections of the home page. The form is one of them only if the look places it below the heading."""


def home(visit: Visit) -> Page:
    world: World = visit.world
    requested = request_read(visit)
    sections = SECTIONS if visit.look.form == "below" else SECTIONS[1:]
    return page(
        visit,
        "home",
        title=visit.labels["home_title"].format(world.town.name),
        here="",
        view=town_view(world).name,
        search=search_form(world, results.Filters()),
        sections=[
            f"arena/stays/{section}.html"
            for section in order_sections(visit.look, sections, seed=len(sections))
        ],
        requested=requested,
        recent=[_recent(search) for search in reversed(visit.state.searches[-RECENT:])],
        suggested=[
            _card(world, results.Hit(listing=listing), requested.query) for listing in _suggested(world)
        ],
    )


@cached_by_world(most=1)
def _suggested(world: World) -> tuple[Listing, ...]:
    mixed = sorted(world.listings, key=lambda listing: int(listing.id[2:]) * 7919 % 10007)
    return tuple(mixed[:SUGGESTED])


def search(visit: Visit) -> Page:
    world: World = visit.world
    requested = request_read(visit)
    filters = results.filters_read(world, visit.query, has_dates=requested.stay is not None)
    hits = [] if requested.errors else results.search_houses(world, visit.state, requested, filters)
    hits_shown, filters, pages = results.cut(hits, filters)
    query = requested.query
    return page(
        visit,
        "results",
        title=visit.labels["results_title"].format(filters.place or world.town.name),
        here="search",
        status=422 if requested.errors else 200,
        events=[*_events(requested, filters), *_prices(requested, hits_shown)],
        search=search_form(world, filters),
        requested=requested,
        notes=[*_notes(visit, requested, filters), *no_such_page(visit.query, filters.page)],
        filters=filters,
        offered=_offered(world, requested, filters),
        cards=[_card(world, hit, query) for hit in hits_shown],
        pages=pages,
        count=counted(len(hits), "stay"),
        before=filters.query(requested, page=filters.page - 1) if filters.page > 1 else "",
        after=filters.query(requested, page=filters.page + 1) if filters.page < pages else "",
        without_filters=results.Filters(place=filters.place, name=filters.name).query(requested, page=1),
    )


def _notes(visit: Visit, requested: StayRequest, filters: results.Filters) -> list[str]:
    world, labels = visit.world, visit.labels
    areas, order = world.town.neighbourhoods, results.SORTS[filters.sort][0]
    sorts = [sort for sort in results.SORTS if requested.stay or sort != "price"]
    offered = (
        Offer("place", labels["where"], areas),
        Offer("area", labels["neighbourhood"], areas),
        Offer("kind", labels["kind"], KINDS),
        Offer("amenity", labels["amenities"], [amenity.id for amenity in world.amenities]),
        Offer("rating", labels["rating"], [str(rating) for rating in results.RATINGS]),
        Offer("price", labels["price"], [str(price) for price in results.PRICES] if requested.stay else []),
        Offer("sort", labels["sort"], sorts, shown=order),
    )
    return not_offered(visit.query, offered)


def search_form(world: World, filters: results.Filters) -> dict[str, Any]:
    return {"places": world.town.neighbourhoods, "place": filters.place, "name": filters.name}


def _events(requested: StayRequest, filters: results.Filters) -> list[tuple[str, dict[str, Any]]]:
    if requested.stay is None or filters.page > 1:
        return []
    searched: dict[str, Any] = {"place": filters.place, "name": filters.name, **stay_query(requested.stay)}
    if filters.is_narrowed:
        return [("filtered", {**searched, "query": filters.query(requested, page=1)})]
    return [("recent_search", searched)]


def _prices(requested: StayRequest, hits: list[results.Hit]) -> list[Event]:
    """List the event for the prices shown: each house's mean per night, and totals that follow from it."""
    stay = requested.stay
    if stay is None or not hits:
        return []
    noted = [facts.rate(hit.listing, stay) for hit in hits]
    noted += [facts.price(hit.listing, hit.listing.rooms[0], stay) for hit in hits if hit.is_exact]
    return [facts.note_shown(*noted)]


def _recent(search: Any) -> dict[str, str]:
    chosen = {name: value for name, value in search.items() if value}
    where = search["name"] or search["place"] or "Anywhere"
    dates = f"{search['check_in']} to {search['check_out']}"
    return {
        "text": f"{where}, {dates}, {wording.guests_text(int(search['guests']))}",
        "query": urlencode(chosen),
    }


def _offered(world: World, requested: StayRequest, filters: results.Filters) -> dict[str, Any]:
    groups: dict[str, list[tuple[str, str, bool]]] = {}
    for amenity in world.amenities:
        groups.setdefault(amenity.group, []).append(
            (amenity.id, amenity.name, amenity.id in filters.amenities)
        )
    return {
        "areas": [(area, area, area in filters.areas) for area in world.town.neighbourhoods],
        "kinds": [(kind, kind, kind in filters.kinds) for kind in KINDS],
        "groups": sorted(groups.items()),
        "ratings": [
            (rating, f"{wording.points(rating)} or higher", rating == filters.rating)
            for rating in results.RATINGS
        ],
        "prices": [(price, f"Up to EUR {price}", price == filters.price) for price in results.PRICES],
        "sorts": [
            (sort, title, sort == filters.sort)
            for sort, (title, _) in results.SORTS.items()
            if requested.stay or sort != "price"
        ],
        "open_amenities": bool(filters.amenities),
    }


def _card(world: World, hit: results.Hit, query: str) -> dict[str, Any]:
    listing = hit.listing
    return {
        "listing": listing,
        "picture": front(world, listing).name,
        "stars": f"{listing.stars}-star" if listing.stars else "",
        "rating": wording.points(listing.rating),
        "centre": distance(listing.centre_metres),
        "price": wording.money(hit.cents) if hit.cents else "",
        "query": query,
    }
