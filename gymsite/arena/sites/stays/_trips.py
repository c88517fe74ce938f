"""The guest's trips: the list, a trip's page, and changes and cancellations under the house's policy."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404

from gymsite.arena.sites.site import Change, Page, Visit
from gymsite.arena.sites.stays import _facts as facts
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._page import listing_at, page, quote_card, room_at, trip_card
from gymsite.arena.sites.stays._query import StayRequest, given_in, request_read, stay_query
from gymsite.arena.sites.stays._refusals import REFUSALS, refusal_text
from tasks_app.worlds.stays.bookings import Refusal, cancel_refusal, change_refusal
from tasks_app.worlds.stays.quotes import cancelling_fee, quote
from tasks_app.worlds.stays.text import policy_text
from tasks_app.worlds.stays.types import Listing, Room, Stay, Trip, World

STATUSES = ("booked", "past", "cancelled")


def trips(visit: Visit) -> Page:
    labels = visit.labels
    cards = [trip_card(visit, trip) for trip in sorted(visit.state.trips, key=lambda trip: trip.check_in)]
    groups = [
        (status, labels[status], [card for card in cards if card["trip"].status == status])
        for status in STATUSES
    ]
    return page(
        visit,
        "trips",
        title=labels["nav_trips"],
        here="trips",
        events=[facts.note_shown("trips")],
        groups=[group for group in groups if group[2]],
    )


def trip_page(visit: Visit, code: str) -> Page:
    labels = visit.labels
    trip = _trip(visit, code)
    listing = listing_at(visit.world, trip.listing)
    return page(
        visit,
        "trip",
        title=labels["trip"].format(trip.code),
        here=f"trips/{trip.code}",
        events=[facts.note_shown("trips", facts.policy(listing))],
        card=trip_card(visit, trip),
        heading=labels[trip.status],
        policy=policy_text(listing.policy),
        paid=[
            (f"Fee for the {fee.reason}", wording.money(fee.cents))
            for fee in visit.state.fees
            if fee.trip == trip.code
        ],
        is_open=trip.status == "booked",
    )


def change(visit: Visit, code: str) -> Page | Change:
    trip = _trip(visit, code)
    world: World = visit.world
    listing = listing_at(world, trip.listing)
    room = room_at(listing, trip.room)
    requested = request_read(visit, guests=trip.guests, must=True)
    refusal = _change_refusal(visit, listing, room, trip, requested)
    if visit.form is None:
        return _change_page(visit, listing, room, trip, requested, refusal)
    if requested.stay is None or refusal:
        query = urlencode(given_in(visit.form, "check_in", "check_out"))
        return Change(events=(), to=f"trips/{trip.code}/change?{query}")
    return _change(visit, listing, room, trip, requested.stay)


def cancel(visit: Visit, code: str) -> Page | Change:
    trip = _trip(visit, code)
    world: World = visit.world
    listing = listing_at(world, trip.listing)
    refusal = cancel_refusal(trip, on=world.first_day)
    fee = cancelling_fee(world, listing, trip, on=world.first_day)
    if visit.form is None:
        return page(
            visit,
            "cancel",
            title=_title(visit, trip, "cancel_title"),
            here=f"trips/{trip.code}/cancel",
            status=409 if refusal else 200,
            events=[facts.note_shown("trips", facts.policy(listing))],
            card=trip_card(visit, trip),
            policy=policy_text(listing.policy),
            refusal=REFUSALS[refusal],
            fee=wording.money(fee),
        )
    if refusal:
        return Change(events=(), to=f"trips/{trip.code}/cancel")
    event = ("cancelled", {"trip": trip.code, "fee": fee})
    return Change(events=(event,), to=f"trips/{trip.code}", conflict_to="trips", is_confirmed=True)


def _title(visit: Visit, trip: Trip, label: str) -> str:
    """Return the title of an action on a trip, or of a notice that the trip is past or cancelled."""
    name = label if trip.status == "booked" else f"{trip.status}_title"
    return visit.labels[name]


def _trip(visit: Visit, code: str) -> Trip:
    trip: Trip | None = visit.state.trip(code)
    if trip is None:
        raise Http404
    return trip


def _change_refusal(
    visit: Visit, listing: Listing, room: Room, trip: Trip, requested: StayRequest
) -> Refusal:
    """Return why the trip cannot be changed at all, or not to the requested dates; "" if it can."""
    refusal = change_refusal(
        visit.world,
        visit.state,
        listing=listing,
        room=room,
        trip=trip,
        stay=requested.stay or trip.stay,
        on=visit.world.first_day,
    )
    return "" if refusal == "same_dates" and requested.stay is None else refusal


def _change_page(
    visit: Visit, listing: Listing, room: Room, trip: Trip, requested: StayRequest, refusal: Refusal
) -> Page:
    noted = ["trips", facts.policy(listing)]
    offer: dict[str, Any] | None = None
    if requested.stay and not refusal:
        noted += facts.quote(listing, room, requested.stay)
        offer = {
            "dates": requested.text,
            "nights": wording.nights_text(requested.stay.nights),
            "stay": stay_query(requested.stay),
            "quote": quote_card(
                quote(visit.world, listing, room, requested.stay), requested.stay, locale=visit.look.locale
            ),
            "fee": wording.money(listing.policy.change_cents),
        }
    if requested.stay:
        noted += facts.refused(
            listing, room, requested.stay, refusal=refusal, state=visit.state, but=trip.code
        )
    is_final = refusal in ("no_such_trip", "too_late")
    return page(
        visit,
        "change",
        title=_title(visit, trip, "change_title"),
        here=f"trips/{trip.code}/change",
        status=409 if refusal else 422 if requested.errors else 200,
        events=[facts.note_shown(*noted)],
        card=trip_card(visit, trip),
        requested=requested,
        offer=offer,
        policy=policy_text(listing.policy),
        refusal=refusal_text(visit, refusal, room=room, stay=requested.stay, but=trip.code),
        is_final=is_final,
    )


def _change(visit: Visit, listing: Listing, room: Room, trip: Trip, stay: Stay) -> Change:
    data = {
        "trip": trip.code,
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "price": quote(visit.world, listing, room, stay).total,
        "fee": listing.policy.change_cents,
    }
    return Change(
        events=(("changed", data),), to=f"trips/{trip.code}", conflict_to="trips", is_confirmed=True
    )
