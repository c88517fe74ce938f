"""What no page offers, what is taken by oneself, and how much of a list is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from tasks_app.worlds.stays.types import World
from tests import reviews_shop
from tests.arena.test_stays import WHO, dates, episode_in, offer, state_of
from tests.arena.test_stays import read as read
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient
from trajectories.models import Episode

pytestmark = pytest.mark.django_db

NOTE = re.compile(r'class="notice notice-warn">(.*?)</p>')
Get = Callable[..., list[str]]


@pytest.fixture
def notes(arena_client: ArenaClient, address: Callable[..., str]) -> Get:
    """The notes of a page about the values in its address."""

    def get(episode: Episode, page: str, /, **query: Any) -> list[str]:
        response = arena_client.get(f"{address(episode, page)}?{urlencode(query, doseq=True)}")
        return [unescape(note) for note in NOTE.findall(response.content.decode())]

    return get


@pytest.mark.parametrize(
    ("query", "start"),
    [
        ({"guests": "200"}, "“200” is not an option for “Guests”. Showing “2 guests” instead."),
        ({"guests": "0"}, "“0” is not an option for “Guests”. Showing “2 guests” instead."),
        ({"sort": "cheapest"}, "“cheapest” is not an option for “Sort by”. Showing “Recommended” instead."),
        ({"sort": "price"}, "“price” is not an option for “Sort by”. Showing “Recommended” instead."),
        ({"area": "Nowhere"}, "“Nowhere” is not an option for “Neighbourhood”. It was ignored."),
        ({"amenity": "<b>"}, "“<b>” is not an option for “Amenities”. It was ignored."),
        ({"rating": "x" * 90}, f"“{'x' * 40}” is not an option for “Guest rating”. It was ignored."),
        ({"page": "99"}, "There is no page 99 in this list. Showing page "),
    ],
)
def test_a_value_that_a_page_does_not_offer_gets_a_note(
    notes: Get, query: dict[str, str], start: str
) -> None:
    (note,) = notes(episode_in(), "search", **query)
    assert note.startswith(start)


def test_offered_values_get_no_note(notes: Get, world: World) -> None:
    _, _, stay = offer(world)
    chosen = {"sort": "price", "rating": "", "price": "120", "kind": ["Hotel", "Hostel"], "page": "1"}
    assert notes(episode_in(), "search", **dates(stay), **chosen) == []


def test_many_odd_values_get_only_a_few_notes(notes: Get) -> None:
    assert len(notes(episode_in(), "search", area=[str(one) for one in range(90)])) == 5


def test_a_house_names_the_unknown_month_and_room(notes: Get, world: World) -> None:
    listing = world.listings[0]
    shown = notes(episode_in(), f"stays/{listing.id}", month="1999-01", room="R-0", guests="7")
    assert [note.split(" is ")[0] for note in shown] == ["“7”", "“R-0”", "“1999-01”"]


@pytest.mark.parametrize("guests", ["200", "-1", "abc"])
def test_an_odd_number_of_guests_gets_the_same_note_on_every_page(
    arena_client: ArenaClient, address: Callable[..., str], notes: Get, world: World, guests: str
) -> None:
    episode, (listing, _, stay) = episode_in(), offer(world)
    query = {**dates(stay), "guests": guests}
    for page in ("search", f"stays/{listing.id}"):
        assert arena_client.get(f"{address(episode, page)}?{urlencode(query)}").status_code == 200
        assert notes(episode, page, **query) == [
            f"“{guests}” is not an option for “Guests”. Showing “2 guests” instead."
        ]


def test_a_booking_for_a_number_of_guests_that_was_not_offered_is_not_made(
    follow: Callable[..., Any], world: World
) -> None:
    listing, room, stay = offer(world)
    episode = episode_in()
    path = f"stays/{listing.id}/book/{room.id}"
    page = follow(episode, path, **{**dates(stay), **WHO, "guests": 200}).content.decode()
    assert NOTE.findall(page) == ["“200” is not an option for “Guests”. Showing “2 guests” instead."]
    assert state_of(episode, world).trips == world.trips


@pytest.mark.parametrize(
    ("page", "query", "message"),
    [
        ("", {"category": "none"}, "“none” is not an option for “Categories”. It was ignored."),
        ("reviews", {"stars": "6"}, "“6” is not an option for “Star rating”. It was ignored."),
        ("reviews", {"sort": "odd"}, "“odd” is not an option for “Sort by”. Showing “Newest first” instead."),
        ("reviews", {"page": "99"}, "There is no page 99 in this list. Showing page 1 instead."),
    ],
)
def test_the_shop_notes_values_that_it_does_not_offer(
    notes: Get, page: str, query: dict[str, str], message: str
) -> None:
    path = f"products/{reviews_shop.smallest().id}/{page}" if page else ""
    assert notes(reviews_shop.episode_of(reviews_shop.task_of()), path, **query) == [message]


def test_a_room_that_the_traveller_has_booked_is_marked(
    read: Callable[..., str], follow: Callable[..., Any], world: World
) -> None:
    """On its house's page, at the checkout of a second tab, and where another trip would move onto it."""
    listing, room, stay = offer(world)
    episode = episode_in()
    path = f"stays/{listing.id}/book/{room.id}"
    follow(episode, path, **dates(stay), **WHO)
    code = state_of(episode, world).trips[-1].code
    message = f"You have already booked some of these nights: trip {code}."
    assert message in read(episode, f"stays/{listing.id}", **dates(stay))
    assert message in read(episode, path, status=409, **dates(stay))
    assert message not in read(episode, f"trips/{code}/change", status=409, **dates(stay))


def test_a_calendar_opens_at_the_month_of_the_requested_dates(read: Callable[..., str], world: World) -> None:
    listing, room, stay = offer(world)
    query = {**dates(stay), "room": room.id}
    assert f"{room.name}: May 2027" in read(episode_in(), f"stays/{listing.id}", **query)
    assert f"{room.name}: April 2027" in read(episode_in(), f"stays/{listing.id}", **query, month="2027-04")
    assert f"{room.name}: March 2027" in read(episode_in(), f"stays/{listing.id}", room=room.id)


def test_results_show_their_total_number(read: Callable[..., str], world: World) -> None:
    page = read(episode_in(), "search")
    assert f"Page 1 of {-(-len(world.listings) // 12)}, {len(world.listings)} stays" in page
    assert "stays" not in read(episode_in(), "search", name="Xylophone").partition("No properties match")[2]


@pytest.mark.parametrize("paging", ["pages", "more", "scroll"])
def test_no_list_of_the_shop_shows_how_many_reviews_its_filters_leave(
    arena_client: ArenaClient, address: Callable[..., str], paging: str
) -> None:
    """Tasks ask for that; what scripts write there is a number of those shown, while more follow."""
    episode = reviews_shop.episode_of(reviews_shop.task_of(), look=reviews_shop.Look(paging=paging))
    path = f"products/{reviews_shop.smallest().id}/reviews?stars=5"
    page = arena_client.get(address(episode, path)).content.decode()
    assert 'data-shown="Showing {n}, more below"' in page
    assert "data-all" not in page
