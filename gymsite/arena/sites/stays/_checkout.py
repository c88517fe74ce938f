"""Booking of a room: the price line by line, a form, and the confirmation."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, QueryDict

from gymsite.arena.sites.site import Change, Page, Visit
from gymsite.arena.sites.stays import _facts as facts
from gymsite.arena.sites.stays._page import listing_at, page, quote_card, room_at, trip_card
from gymsite.arena.sites.stays._query import STAY_FIELDS, StayRequest, given_in, request_read, stay_query
from gymsite.arena.sites.stays._refusals import refusal_text
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.pictures import front
from tasks_app.worlds.stays.quotes import quote
from tasks_app.worlds.stays.state import State, trip_code
from tasks_app.worlds.stays.text import policy_text
from tasks_app.worlds.stays.types import Listing, Room, Stay, World

FIELDS = {"name": 80, "email": 120, "arrival": 20, "wishes": 400}
"""Maximum length of the text in each field."""
TRIED = "tried"
"""Parameter in the address of a form that was refused before."""
ARRIVALS = ("I don't know yet", "In the afternoon", "In the evening")


def checkout(visit: Visit, listing_id: str, room_id: str) -> Page | Change:
    world: World = visit.world
    listing = listing_at(world, listing_id)
    room = room_at(listing, room_id)
    requested = request_read(visit)
    given = visit.query if visit.form is None else visit.form
    typed = {name: given.get(name, "").strip()[:most] for name, most in FIELDS.items()}
    errors = _errors(given, typed)
    noted: list[str] = []
    if requested.stay is None:
        reason = "Choose your dates first."
    else:
        state = visit.state
        refusal = booking_refusal(world, state, listing=listing, room=room, stay=requested.stay)
        noted = facts.refused(listing, room, requested.stay, refusal=refusal, state=state)
        reason = refusal_text(visit, refusal, room=room, stay=requested.stay)
        if visit.form is not None and not (reason or errors or requested.notes):
            return _book(visit, listing, room, requested.stay)
    if visit.form is not None:
        return _again(visit.form, typed, to=f"stays/{listing.id}/book/{room.id}")
    if reason:
        return _refused(visit, listing, room, requested, reason, noted=noted)
    return _form(visit, listing, room, requested, typed=typed, errors=errors if TRIED in given else {})


def _again(form: QueryDict, typed: dict[str, str], *, to: str) -> Change:
    """Redirect to the page that shows the errors, with the typed values in its address."""
    given = {**given_in(form, *STAY_FIELDS, "rules"), **typed, TRIED: "1"}
    query = urlencode({name: value for name, value in given.items() if value})
    return Change(events=(), to=f"{to}?{query}")


def booked(visit: Visit, code: str) -> Page:
    trip = visit.state.trip(code)
    if trip is None or trip.status != "booked":
        raise Http404
    return page(
        visit,
        "booked",
        title=visit.labels["booked_title"],
        here=f"trips/{trip.code}/booked",
        card=trip_card(visit, trip),
    )


def _book(visit: Visit, listing: Listing, room: Room, stay: Stay) -> Change:
    data = {
        "listing": listing.id,
        "room": room.id,
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "guests": stay.guests,
        "price": quote(visit.world, listing, room, stay).total,
    }
    code = _next_code(visit.world, visit.state, room, stay)
    return Change(
        events=(("booked", data),), to=f"trips/{code}/booked", conflict_to="trips", is_confirmed=True
    )


def _next_code(world: World, state: State, room: Room, stay: Stay) -> str:
    """Return the code that the booking will have once the events are folded."""
    before = 0
    while state.trip(code := trip_code(world.key, room.id, stay, before=before)):
        before += 1
    return code


def _form(
    visit: Visit,
    listing: Listing,
    room: Room,
    requested: StayRequest,
    *,
    typed: dict[str, str],
    errors: dict[str, str],
) -> Page:
    stay = requested.stay
    if stay is None:
        raise Http404
    return page(
        visit,
        "checkout",
        title=visit.labels["checkout_title"],
        here=f"stays/{listing.id}/book/{room.id}",
        status=422 if errors else 200,
        events=[facts.note_shown(*facts.quote(listing, room, stay), facts.policy(listing))],
        **_subject(visit, listing, room),
        requested=requested,
        stay=stay_query(stay),
        quote=quote_card(quote(visit.world, listing, room, stay), stay, locale=visit.look.locale),
        policy=policy_text(listing.policy),
        typed=typed,
        errors=errors,
        arrivals=[(arrival, arrival == typed.get("arrival")) for arrival in ARRIVALS],
    )


def _refused(
    visit: Visit, listing: Listing, room: Room, requested: StayRequest, reason: str, *, noted: list[str]
) -> Page:
    status = 409 if requested.stay else 422
    return page(
        visit,
        "refused",
        title=visit.labels["refused_title"],
        here=f"stays/{listing.id}/book/{room.id}",
        status=status,
        events=[facts.note_shown(*noted)] if noted else [],
        **_subject(visit, listing, room),
        requested=requested,
        reason=reason,
    )


def _subject(visit: Visit, listing: Listing, room: Room) -> dict[str, Any]:
    back_to = visit.labels["back_to"].format(listing.name)
    picture = front(visit.world, listing).name
    return {"listing": listing, "room": room, "picture": picture, "back_to": back_to}


def _errors(form: QueryDict, typed: dict[str, str]) -> dict[str, str]:
    errors = {}
    if not typed["name"]:
        errors["name"] = "Enter your name."
    if "@" not in typed["email"].strip("@"):
        errors["email"] = "Enter a valid email address, such as kim@example.org."
    if "rules" not in form:
        errors["rules"] = "Agree to the house rules to continue."
    return errors
