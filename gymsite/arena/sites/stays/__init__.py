"""The booking site: search, houses, checkout and trips."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.http import HttpResponse
from django.urls import URLPattern, path

from gymsite.arena.sites.site import Site, View, sites
from gymsite.arena.sites.stays import _checkout, _detail, _notices, _searching, _trips
from tasks_app.worlds.stays.plugin import open_world
from tasks_app.worlds.stays.state import fold


def _page(pattern: str, view: View) -> URLPattern:
    # Django's types know only views that answer requests.
    return path(pattern, cast("Callable[..., HttpResponse]", view))


sites.register(
    "stays",
    Site(
        id="stays",
        title="Staywell",
        open_world=open_world,
        fold=fold,
        urls=(
            _page("", _searching.home),
            _page("search", _searching.search),
            _page("stays/<str:listing_id>", _detail.detail),
            _page("stays/<str:listing_id>/reviews", _detail.guest_reviews),
            _page("stays/<str:listing_id>/book/<str:room_id>", _checkout.checkout),
            _page("trips", _trips.trips),
            _page("trips/<str:code>", _trips.trip_page),
            _page("trips/<str:code>/booked", _checkout.booked),
            _page("trips/<str:code>/change", _trips.change),
            _page("trips/<str:code>/cancel", _trips.cancel),
            _page("close/<str:name>", _notices.close),
        ),
    ),
)
