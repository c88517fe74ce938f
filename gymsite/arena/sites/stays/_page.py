"""Context shared by every page of the site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import Http404

from core.draws import Draws
from core.text.toml import toml_load
from gymsite.arena.panels import SLOW_MS
from gymsite.arena.sites import pop_ups
from gymsite.arena.sites.site import Event, Message, Page, Visit
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._panels import draw_panels
from gymsite.arena.sites.stays._query import GUESTS, StayRequest
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.formats import month_text
from tasks_app.worlds.stays.bookings import find_listing, find_room
from tasks_app.worlds.stays.pictures import front
from tasks_app.worlds.stays.quotes import Quote
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World
from tasks_app.worlds.stays.vocabulary import NAMES

TEXTS = toml_load(Path(__file__).with_name("pop_ups.toml"), pop_ups.Texts)


FAMILIES = (
    "Ashby",
    "Bertrand",
    "Calloway",
    "Duarte",
    "Eklund",
    "Ferrand",
    "Holm",
    "Kessler",
    "Lennox",
    "Winter",
)
"""Family names of guests. No property is named after them."""
YEARS_BEFORE = (2, 6)
"""Bounds on how many years before the world's first day the guest joined."""


@dataclass(frozen=True, kw_only=True)
class Guest:
    name: str
    initials: str
    home: str
    since: str


@cached_by_world(most=1)
def guest(world: World) -> Guest:
    draws = Draws(world.key, "stays", world.edition, "guest")
    names = NAMES[world.edition]
    first, family = draws.pick(names.first_names), draws.pick(FAMILIES)
    joined = world.first_day.replace(
        year=world.first_day.year - draws.whole(*YEARS_BEFORE), month=draws.whole(1, 12), day=1
    )
    return Guest(
        name=f"{first} {family}",
        initials=f"{first[0]}{family[0]}",
        home=draws.pick(names.homes),
        since=month_text(joined),
    )


def page(
    visit: Visit,
    template: str,
    *,
    title: str,
    here: str,
    status: int = 200,
    events: Sequence[Event] = (),
    requested: StayRequest | None = None,
    notes: Sequence[str] = (),
    **context: Any,
) -> Page:
    """Build a page. ``here`` is its path below the first page; ``notes`` follow the request's own notes."""
    world: World = visit.world
    query = visit.query.urlencode()
    pop_up = pop_ups.pop_up_make(visit, TEXTS, town=world.town.name, time=f"{visit.now:%H:%M}")
    labels = visit.labels
    return Page(
        template=f"arena/stays/{template}.html",
        context={
            **_frame(visit),
            "title": title,
            "labels": labels,
            "requested": requested,
            "notes": [*(requested.notes if requested else ()), *notes],
            "here": f"{here}?{query}" if query else here,
            "at": f"{visit.root}{here}",
            "panels": draw_panels(visit, here=here),
            "pop_up": pop_up,
            "news": labels.get(f"told_{visit.news}", ""),
            **context,
        },
        status=status,
        events=tuple(events),
        pop_ups=(str(pop_up["name"]),) if pop_up else (),
    )


def _frame(visit: Visit) -> dict[str, Any]:
    """Build the context of the page's header, footer and forms."""
    world: World = visit.world
    return {
        "anywhere": visit.labels["anywhere"].format(world.town.name),
        "first": world.first_day.isoformat(),
        "first_weekday": wording.first_weekday(visit.look.locale),
        "guests": [(number, wording.guests_text(number)) for number in GUESTS],
        "slow_ms": SLOW_MS[visit.look.slow],
        "town": world.town,
        "nav_stays": visit.labels["nav_stays"].format(world.town.name),
        "today": wording.day_text(visit.now.date(), visit.look.locale),
        "signed_in": guest(world),
        "year": visit.now.year,
    }


def message_page(visit: Visit, message: Message) -> Page:
    """Show a message in the site's frame, in place of a page."""
    title, status, home = message.title, message.status, visit.labels["home"]
    return page(visit, "instead", title=title, here="", status=status, message=message, home=home)


def listing_at(world: World, listing_id: str) -> Listing:
    """Return the house with this id. Raises ``Http404`` if there is no such house."""
    listing = find_listing(world, listing_id)
    if listing is None:
        raise Http404
    return listing


def room_at(listing: Listing, room_id: str) -> Room:
    """Return the room with this id. Raises ``Http404`` if the house has no such room."""
    room = find_room(listing, room_id)
    if room is None:
        raise Http404
    return room


def quote_card(quote: Quote, stay: Stay, *, locale: str) -> dict[str, Any]:
    """Build the context of a price, night by night and line by line."""
    return {
        "nights": [
            (wording.day_text(day, locale), wording.money(cents))
            for day, cents in zip(stay.days, quote.nights, strict=True)
        ],
        "lines": [(line.label, wording.money(line.cents)) for line in quote.lines],
        "total": wording.money(quote.total),
    }


def trip_card(visit: Visit, trip: Trip) -> dict[str, Any]:
    listing = listing_at(visit.world, trip.listing)
    labels, locale = visit.labels, visit.look.locale
    days = (wording.day_text(day, locale) for day in (trip.check_in, trip.check_out))
    return {
        "trip": trip,
        "title": labels["trip"].format(trip.code),
        "listing": listing,
        "room": room_at(listing, trip.room),
        "picture": front(visit.world, listing).name,
        "dates": " to ".join(days),
        "nights": wording.nights_text(trip.stay.nights),
        "guests": wording.guests_text(trip.guests),
        "price": wording.money(trip.price),
        "change_label": labels["change_of"].format(trip.code),
        "cancel_label": labels["cancel_of"].format(trip.code),
    }
