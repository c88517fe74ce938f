"""The booking site: search, houses, checkout and trips."""

from __future__ import annotations

from gymsite.arena.drawings.places import drawing
from gymsite.arena.sites import pop_ups
from gymsite.arena.sites.site import Site, route, sites
from gymsite.arena.sites.stays import _checkout, _detail, _guest_reviews, _information, _page, _search, _trips
from tasks_app.worlds.stays.plugin import open_world
from tasks_app.worlds.stays.state import fold

sites.register(
    "stays",
    Site(
        id="stays",
        title="Staywell",
        open_world=open_world,
        fold=fold,
        drawing=drawing,
        message_page=_page.message_page,
        urls=(
            route("", _search.home),
            route("search", _search.search),
            route("stays/<str:listing_id>", _detail.detail),
            route("stays/<str:listing_id>/reviews", _guest_reviews.guest_reviews),
            route("stays/<str:listing_id>/book/<str:room_id>", _checkout.checkout),
            route("trips", _trips.trips),
            route("trips/<str:code>", _trips.trip_page),
            route("trips/<str:code>/booked", _checkout.booked),
            route("trips/<str:code>/change", _trips.change),
            route("trips/<str:code>/cancel", _trips.cancel),
            route("account", _information.account),
            *(route(path, _information.information(path)) for path in _information.ADDRESSES),
            route("close/<str:name>", pop_ups.close),
        ),
    ),
)
