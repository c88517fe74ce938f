"""Text view of the booking site: its pages' content about properties and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.formats import counted, day_text, month_text
from tasks_app.worlds.registry import TextView
from tasks_app.worlds.stays.calendar import last_day
from tasks_app.worlds.stays.nights import RoomNights, tokens_bounds
from tasks_app.worlds.stays.pictures import gallery
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.reviews import reviews
from tasks_app.worlds.stays.scopes import Scope, build_scope, listings_in, spans_in
from tasks_app.worlds.stays.text import (
    description,
    distance,
    fees_rows,
    guests_included,
    policy_text,
    rules_rows,
)
from tasks_app.worlds.stays.types import Listing, Room, World
from tasks_app.worlds.stays.vocabulary import amenities
from tasks_app.worlds.text_view import estimate_tokens

PRICES = (
    "The total price of a stay is the price of its nights, plus extra guests, less the long-stay discount "
    "(a share of nights and extra guests), plus the service fee (a share of what is then left), plus the "
    "cleaning fee, plus city tax. Shares are rounded to whole cents, halves up. A room can be booked for as "
    "many guests as it sleeps, for nights that are all free, and for the property's minimum stay or longer. "
    "Calendars show the price of each free night in euros, for the guests included, without fees and tax; "
    "nights of other guests are full, and those of your own trips are yours."
)
HEAD_TOKENS = (130, 320)
HOUSE_TOKENS = (210, 380)
ROOM_TOKENS = (40, 130)
"""Minimum and maximum tokens of the parts of a text.

The parts are the text before the houses, a house without its rooms, and a room without its calendar.
"""


def render(world: World, scope: Scope | None) -> Iterator[str]:
    """Yield the world as Markdown in parts, either the houses of a scope or everything."""
    yield _head(world, scope)
    if scope is None:
        yield _town(world)
    spans = spans_in(world, scope)
    for listing in listings_in(world, scope):
        yield listing_text(world, listing, spans)
        if scope is None:
            yield _beside(world, listing)


def _head(world: World, scope: Scope | None) -> str:
    last = last_day(world) - timedelta(days=1)
    nights = f"Nights can be booked from {day_text(world.first_day)} to {day_text(last)}."
    return f"# Stays in {world.town.name}\n\n{_about(scope)} {nights} {PRICES}"


def _about(scope: Scope | None) -> str:
    if scope is None:
        return "These are all the properties."
    if "places" not in scope:
        return "These are the properties that the task names, and others with similar names."
    ((first, end),) = scope["stays"]
    days = f"{day_text(date.fromisoformat(first))} to {day_text(date.fromisoformat(end))}"
    guests = counted(scope["guests"], "guest")
    return (
        f"These are the properties in {', '.join(scope['places'])} with a room that {guests} can book "
        f"from {days}, with their calendars around those dates."
    )


def bounds(world: World, scope: Scope) -> Iterator[tuple[int, int]]:
    """Yield ever tighter bounds: from counts, then with exact calendars, then with exact houses as well."""
    listings, spans = listings_in(world, scope), spans_in(world, scope)
    rooms = [(listing, room) for listing in listings for room in listing.rooms]
    least, most = (
        head + house * len(listings) + room * len(rooms)
        for head, house, room in zip(HEAD_TOKENS, HOUSE_TOKENS, ROOM_TOKENS, strict=True)
    )
    few, many = tokens_bounds(spans)
    yield least + few * len(rooms), most + many * len(rooms)
    nights = (RoomNights(world, *room) for room in rooms)
    calendars = sum(room.tokens(span) for room in nights for span in spans)
    yield least + calendars, most + calendars
    houses = sum(_house_tokens(world, listing.id) for listing in listings)
    exact = estimate_tokens(_head(world, scope)) + houses + calendars
    yield exact, exact


# Cached because several tasks ask about each house of a world.
@cached_by_world(most=200)
def _house_tokens(world: World, listing_id: str) -> int:
    """Count the tokens of a house without its calendars."""
    return estimate_tokens(listing_text(world, world.listing(listing_id), ()))


def listing_text(world: World, listing: Listing, spans: Sequence[range]) -> str:
    """Write a house with its rooms and the given spans of their calendars."""
    stars = f"{listing.stars}-star " if listing.stars else ""
    about = (
        f"{stars}{listing.kind}, {listing.street}, {distance(listing.centre_metres)} from the centre. "
        f"Listing {listing.id}. {listing.rating / 10:.1f} from {listing.ratings} guest ratings, "
        f"hosted by {listing.host}."
    )
    lines = [
        f"## {listing.name}, {listing.neighbourhood}",
        "",
        about,
        "",
        f"- Property amenities, shared by all guests: {_amenities(world, listing.amenities)}",
        f"- Fees and taxes: {_rows(fees_rows(world, listing))}",
        f"- House rules: {_rows(rules_rows(listing.rules))}",
        f"- Cancellation and changes: {' '.join(policy_text(listing.policy))}",
    ]
    return "\n".join([*lines, *(_room(world, listing, room, spans) for room in listing.rooms)])


def _room(world: World, listing: Listing, room: Room, spans: Sequence[range]) -> str:
    about = (
        f"Room {room.id}. {room.beds}, {room.square_metres} m², sleeps {room.sleeps}. "
        f"{guests_included(room)}."
    )
    lines = ["", f"### {room.name}", "", about, "", f"- Room amenities: {_amenities(world, room.amenities)}"]
    nights = RoomNights(world, listing, room)
    return "\n".join([*lines, *map(nights.month_line, spans)])


def _amenities(world: World, has: tuple[str, ...]) -> str:
    return ", ".join(amenity.name for amenity in amenities(world.edition) if amenity.id in has) or "none"


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in rows)


def _town(world: World) -> str:
    lines = [f"{world.town.intro}, in {world.town.country}.", "", "## My trips", ""]
    for trip in world.trips:
        listing = world.listing(trip.listing)
        room = next(room for room in listing.rooms if room.id == trip.room)
        lines.append(
            f"- {listing.name}, {room.name}: {day_text(trip.check_in)} to {day_text(trip.check_out)}, "
            f"{counted(trip.guests, 'guest')}, EUR {euros(trip.price)}, {trip.status}. "
            f"Confirmation code {trip.code}."
        )
    return "\n".join(lines)


def _beside(world: World, listing: Listing) -> str:
    """Write what a property's pages contain that no task asks about."""
    pictures = "; ".join(hung.caption for hung in gallery(world, listing))
    lines = ["### About this property", "", "\n\n".join(description(world, listing)), ""]
    lines += [f"Photos: {pictures}", "", "### Guest reviews", ""]
    for review in reviews(world, listing):
        year, month = map(int, review.month.split("-"))
        reply = f" Response from the property: {review.reply}" if review.reply else ""
        lines.append(
            f"- {review.score}: {review.title} ({review.author} from {review.home}, "
            f"{month_text(date(year, month, 1))}, {counted(review.nights, 'night')}, {review.room}) "
            f"{' '.join(review.body)}{reply}"
        )
    return "\n".join(lines)


TEXT_VIEW = TextView(scope_of=build_scope, render=render, bounds=bounds)
