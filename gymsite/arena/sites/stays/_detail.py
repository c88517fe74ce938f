"""The page of a house: its facts, rooms, reviews, amenities on request, and a room's calendar by month."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import urlencode

from gymsite.arena.sites.offers import Offer, not_offered
from gymsite.arena.sites.site import Event, Page, Visit, order_sections
from gymsite.arena.sites.stays import _calendar as months
from gymsite.arena.sites.stays import _facts as facts
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._guest_reviews import review_card, scores
from gymsite.arena.sites.stays._page import listing_at, page
from gymsite.arena.sites.stays._query import StayRequest, request_read, stay_query
from gymsite.arena.sites.stays._refusals import refusal_text
from tasks_app.worlds.stays.bookings import booking_refusal, find_room
from tasks_app.worlds.stays.calendar import night_prices
from tasks_app.worlds.stays.pictures import gallery
from tasks_app.worlds.stays.reviews import reviews
from tasks_app.worlds.stays.text import (
    description,
    distance,
    fees_rows,
    guests_included,
    highlights,
    policy_text,
    rules_rows,
)
from tasks_app.worlds.stays.types import Listing, Room, Stay, World
from tasks_app.worlds.stays.vocabulary import amenity_names

LATEST_REVIEWS = 2
SECTIONS = (
    "detail/about",
    "detail/rooms",
    "detail/amenities",
    "detail/terms",
    "_policy",
    "detail/guests_say",
)


def detail(visit: Visit, listing_id: str) -> Page:
    world: World = visit.world
    listing = listing_at(world, listing_id)
    requested = request_read(visit)
    room = find_room(listing, visit.query.get("room", ""))
    month = months.month_read(world, visit.query.get("month", ""), stay=requested.stay)
    has_amenities = visit.query.get("amenities", "") == "all"
    labels = visit.labels
    sections = order_sections(visit.look, SECTIONS, seed=len(SECTIONS))
    rooms = [_room_card(visit, listing, room, requested) for room in listing.rooms]
    return page(
        visit,
        "detail",
        title=listing.name,
        here=f"stays/{listing.id}",
        status=422 if requested.errors else 200,
        events=_events(visit, listing, requested, room, month, has_amenities=has_amenities),
        **about(world, listing),
        sections=[f"arena/stays/{section}.html" for section in sections],
        requested=requested,
        notes=_notes(visit, listing),
        rooms=rooms,
        cheapest=_cheapest(rooms, requested),
        highlights=[amenity_names(world.edition)[amenity] for amenity in highlights(listing)],
        has_more_shared=len(listing.amenities) > len(highlights(listing)),
        amenities=amenities_by_place(world, listing, shared=labels["shared"]) if has_amenities else None,
        amenities_query=_query(requested, amenities="all"),
        calendar=_month(visit, listing, room, month, requested.stay) if room else None,
        calendar_room=room,
        calendar_query=_query(requested, room=room.id) if room else "",
        latest=[review_card(review) for review in reviews(world, listing)[:LATEST_REVIEWS]],
        scores=scores(world, listing),
    )


def _notes(visit: Visit, listing: Listing) -> list[str]:
    labels = visit.labels
    rooms = tuple(room.id for room in listing.rooms)
    offered = (
        Offer("room", labels["rooms"], rooms),
        Offer(
            "month", labels["calendar"], tuple(f"{month:%Y-%m}" for month in months.list_months(visit.world))
        ),
        Offer("amenities", labels["amenities"], ("all",)),
    )
    return not_offered(visit.query, offered)


def _events(
    visit: Visit,
    listing: Listing,
    requested: StayRequest,
    room: Room | None,
    month: date,
    *,
    has_amenities: bool,
) -> list[Event]:
    noted = [facts.about(listing), facts.fees(listing), facts.policy(listing)]
    if requested.stay:
        noted += _offered(visit, listing, requested.stay)
    events: list[Event] = [("listing_opened", {"listing": listing.id})]
    if has_amenities:
        events.append(("amenities_opened", {"listing": listing.id}))
        noted += [facts.house_amenities(listing), *facts.room_amenities(listing)]
    if room:
        events.append(("calendar_opened", {"room": room.id, "month": f"{month:%Y-%m}"}))
        calendar = (visit.world, visit.state, listing, room, month)
        free, full = (months.list_nights(*calendar, kind=kind) for kind in ("free", "full"))
        noted += facts.calendar(listing, room, priced=free, full=full)
    return [*events, facts.note_shown(*noted)]


def _offered(visit: Visit, listing: Listing, stay: Stay) -> list[str]:
    """Name the facts that the list of rooms shows about a stay: its price, or that a room is not free."""
    noted: list[str] = []
    for room in listing.rooms:
        refusal = booking_refusal(visit.world, visit.state, listing=listing, room=room, stay=stay)
        noted += facts.refused(listing, room, stay, refusal=refusal, state=visit.state)
        noted += [] if refusal else [facts.price(listing, room, stay)]
    return noted


def _month(visit: Visit, listing: Listing, room: Room, month: date, stay: Stay | None) -> dict[str, Any]:
    calendar = (visit.world, visit.state, listing, room, month)
    return months.month_card(*calendar, stay=stay, locale=visit.look.locale)


def _room_card(visit: Visit, listing: Listing, room: Room, requested: StayRequest) -> dict[str, Any]:
    labels = visit.labels
    card = {
        "room": room,
        "book_label": labels["book_room"].format(room.name),
        "calendar_label": labels["calendar_of"].format(room.name),
        "included": guests_included(room),
        "calendar_query": _query(requested, room=room.id),
        "book_query": "",
        "refusal": "",
    }
    if requested.stay is None:
        return card
    stay = requested.stay
    refusal = booking_refusal(visit.world, visit.state, listing=listing, room=room, stay=stay)
    if refusal:
        return {**card, "refusal": refusal_text(visit, refusal, room=room, stay=stay)}
    cents = sum(night_prices(visit.world, listing, room, stay.check_in, nights=stay.nights))
    return {**card, "cents": cents, "nights": _nights_price(cents, stay), "book_query": requested.query}


def _nights_price(cents: int, stay: Stay) -> str:
    return f"{wording.money(cents)} for {wording.nights_text(stay.nights)}"


def _cheapest(rooms: list[dict[str, Any]], requested: StayRequest) -> str:
    """Return the lowest price shown for the rooms, or "" if none is shown."""
    prices = [card["cents"] for card in rooms if "cents" in card]
    return _nights_price(min(prices), requested.stay) if prices and requested.stay else ""


def _query(requested: StayRequest, **more: str) -> str:
    return urlencode({**(stay_query(requested.stay) if requested.stay else {}), **more})


def about(world: World, listing: Listing) -> dict[str, Any]:
    return {
        "listing": listing,
        "stars": f"{listing.stars}-star" if listing.stars else "",
        "rating": wording.points(listing.rating),
        "centre": distance(listing.centre_metres),
        "pictures": [
            {"name": hung.picture.name, "words": hung.picture.words, "caption": hung.caption}
            for hung in gallery(world, listing)
        ],
        "paragraphs": description(world, listing),
        "policy": policy_text(listing.policy),
        "rules": rules_rows(listing.rules),
        "fees": fees_rows(world, listing),
    }


def amenities_by_place(world: World, listing: Listing, *, shared: str) -> list[dict[str, Any]]:
    """Group all amenities by place: first the house's, under the heading ``shared``, then each room's."""
    places = [(shared, "", listing.amenities)]
    places += [(room.name, room.id, room.amenities) for room in listing.rooms]
    return [
        {"title": title, "number": number, "groups": _grouped(world, has)} for title, number, has in places
    ]


def _grouped(world: World, has: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for amenity in world.amenities:
        if amenity.id in has:
            groups.setdefault(amenity.group, []).append(amenity.name)
    return sorted(groups.items())
