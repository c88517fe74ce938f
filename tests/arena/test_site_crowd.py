"""Many episodes of one mock site at once, and many tabs of one episode."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gymsite.arena.sites.site import sites
from tasks_app.worlds.keys import changes_seal, world_key
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.state import State, fold
from tasks_app.worlds.stays.types import Listing, Room, Stay, World
from tasks_app.worlds.stays.world import world
from tests import factories
from tests.arena.test_races import AT_ONCE, at_once
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.slow

FIRST_DAY = date(2027, 3, 1)
STAY = Stay(check_in=date(2027, 5, 4), check_out=date(2027, 5, 9), guests=1)
TEXT = "Book something."
WORLDS = 10
EPISODES = 200
CODE = re.compile(r"\b[A-Z2-9]{6}\b")

Offer = tuple[Listing, Room]


def town(number: int) -> World:
    key = world_key(salt=settings.WORLD_SALT, site="stays", number=number)
    return world(key, edition="train", first_day=FIRST_DAY)


def offers(number: int) -> list[Offer]:
    """Rooms that can be booked for the stay."""
    state = State(trips=town(number).trips)
    return [
        (listing, room)
        for listing in town(number).listings
        for room in listing.rooms
        if not booking_refusal(town(number), state, listing=listing, room=room, stay=STAY)
    ]


def episode_make(number: int) -> Episode:
    payload = {
        "site": "stays",
        "world": number,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=town(number).key, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Code"],
    }
    task = factories.task(kind="site", payload=payload)
    return factories.episode(task=task, virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC))


def booking(offer: Offer) -> tuple[str, str]:
    """The page and the form that book a room."""
    listing, room = offer
    who = {"name": "Kim Doe", "email": "kim@example.org", "rules": "on"}
    dates = {"check_in": STAY.check_in, "check_out": STAY.check_out, "guests": STAY.guests}
    return f"stays/{listing.id}/book/{room.id}", urlencode({**who, **dates})


def trips_of(episode: Episode, number: int) -> set[str]:
    """The codes of what the episode's own events have booked."""
    events = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")
    before = {trip.code for trip in town(number).trips}
    return {trip.code for trip in fold(town(number), list(events)).trips} - before


@pytest.fixture
def send(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def post(episode: Episode, offer: Offer) -> Any:
        page, body = booking(offer)
        form = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, page), body, content_type=form)

    return post


@pytest.mark.django_db
def test_two_hundred_interleaved_episodes_see_nothing_of_each_other(
    arena_client: ArenaClient, address: Callable[..., str], send: Callable[..., Any]
) -> None:
    rooms = [offers(number) for number in range(1, WORLDS + 1)]
    episodes = [(place % WORLDS, episode_make(1 + place % WORLDS)) for place in range(EPISODES)]
    booked = {
        episode.pk: send(episode, rooms[town_place][turn // WORLDS]).headers["Location"].split("/")[-2]
        for turn, (town_place, episode) in enumerate(episodes)
    }

    shown = {
        episode.pk: set(CODE.findall(arena_client.get(address(episode, "trips")).content.decode()))
        for _, episode in reversed(episodes)
    }

    assert len(set(booked.values())) == EPISODES
    for _, episode in episodes:
        assert shown[episode.pk] & set(booked.values()) == {booked[episode.pk]}


@pytest.mark.django_db
def test_a_page_costs_two_statements_and_a_booking_two(
    arena_client: ArenaClient, address: Callable[..., str], send: Callable[..., Any]
) -> None:
    episode = episode_make(1)

    def statements(request: Callable[[], Any]) -> int:
        with CaptureQueriesContext(connection) as queries:
            request()
        return sum("ROLE" not in query["sql"] for query in queries)

    assert statements(lambda: arena_client.get(address(episode, "trips"))) == 2
    assert statements(lambda: send(episode, offers(1)[0])) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query", ["name=a%00b", "name=%ff%fe", "name=%ED%A0%80", "check_in=%00", "x=" + "y" * 4000]
)
def test_no_query_string_causes_a_server_error(
    arena_client: ArenaClient, address: Callable[..., str], query: str
) -> None:
    episode = episode_make(1)
    for page in ("", "search", "trips"):
        assert arena_client.get(f"{address(episode, page)}?{query}").status_code < 500


@pytest.mark.django_db(transaction=True)
def test_two_tabs_never_lose_a_booking(send: Callable[..., Any]) -> None:
    episode = episode_make(1)
    rooms = offers(1)

    locations = at_once(lambda place: send(episode, rooms[place]).headers["Location"].partition("?")[0])

    codes = {place.split("/")[-2] for place in locations if place.endswith("booked")}
    assert trips_of(episode, 1) == codes
    assert len(codes) + sum(place.endswith("trips") for place in locations) == AT_ONCE
    assert len(codes) >= 2


@pytest.mark.django_db(transaction=True)
def test_one_room_is_booked_once_from_any_number_of_tabs(send: Callable[..., Any]) -> None:
    episode = episode_make(1)
    offer = offers(1)[0]

    pages = at_once(lambda _: send(episode, offer).headers["Location"].partition("?")[0].rpartition("/")[2])

    assert Counter(pages) == {"booked": 1, offer[1].id: AT_ONCE - 1}
    assert len(trips_of(episode, 1)) == 1


def test_the_booking_site_is_registered() -> None:
    assert "stays" in sites
