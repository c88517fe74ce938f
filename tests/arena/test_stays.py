from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tasks_app.worlds import evidence
from tasks_app.worlds.keys import changes_seal, world_key
from tasks_app.worlds.stays.bookings import booking_refusal
from tasks_app.worlds.stays.calendar import night_price
from tasks_app.worlds.stays.quotes import cancelling_fee, euros, quote
from tasks_app.worlds.stays.state import State, fold
from tasks_app.worlds.stays.types import Listing, Room, Stay, World
from tasks_app.worlds.stays.vocabulary import amenity_names
from tasks_app.worlds.stays.world import world as world_draw
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db

FIRST_DAY = date(2027, 3, 1)
TEXT = "Find a place to sleep."
WHO = {"name": "Kim Doe", "email": "kim@example.org", "rules": "on"}


@pytest.fixture
def world() -> World:
    return world_draw(key(), edition="train", first_day=FIRST_DAY)


@pytest.fixture
def episode() -> Episode:
    return episode_in()


def episode_in(**look: Any) -> Episode:
    """An episode whose look is neutral but for the axes named."""
    payload = {
        "site": "stays",
        "world": 7,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=key(), text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Total in euros", "Listing number"],
    }
    task = factories.task(kind="site", payload=payload)
    return factories.episode(task=task, virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC), presentation=look)


@pytest.fixture
def read(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., str]:
    """The text of a page: without marks, in single spaces."""

    def get(episode: Episode, page: str = "", /, *, status: int = 200, **query: Any) -> str:
        response = arena_client.get(f"{address(episode, page)}?{urlencode(query, doseq=True)}")
        assert response.status_code == status, response.content.decode()
        return plain(response.content.decode())

    return get


@pytest.fixture
def post(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def send(episode: Episode, page: str, /, **form: Any) -> Any:
        kind = "application/x-www-form-urlencoded"
        return arena_client.generic(
            "POST", address(episode, page), urlencode(form, doseq=True), content_type=kind
        )

    return send


def key() -> bytes:
    return world_key(salt=settings.WORLD_SALT, site="stays", number=7)


def plain(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.partition("<body")[2])).split())


def offer(world: World, *, guests: int = 2) -> tuple[Listing, Room, Stay]:
    """A room that can be booked in May, of a house with several, with the stay."""
    stay = Stay(check_in=date(2027, 5, 4), check_out=date(2027, 5, 7), guests=guests)
    state = State(trips=world.trips)
    return next(
        (listing, room, stay)
        for listing in world.listings
        for room in listing.rooms
        if len(listing.rooms) > 1 and not booking_refusal(world, state, listing=listing, room=room, stay=stay)
    )


def dates(stay: Stay) -> dict[str, Any]:
    return {"check_in": stay.check_in, "check_out": stay.check_out, "guests": stay.guests}


def state_of(episode: Episode, world: World) -> State:
    events = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")
    return fold(world, events)


def facts_shown(episode: Episode) -> set[str]:
    shown = SiteEvent.objects.filter(episode=episode, kind="shown").values_list("data", flat=True)
    return {fact for data in shown for fact in data["facts"]}


def test_the_first_page_asks_where_and_when(read: Callable[..., str], episode: Episode) -> None:
    page = read(episode)
    assert all(text in page for text in (TEXT, "Check-in", "Today is Mon 1 March 2027"))


def test_a_search_lists_only_houses_with_a_free_room(
    read: Callable[..., str], episode: Episode, world: World
) -> None:
    listing, _, stay = offer(world)
    full = next(one for one in world.listings if not _has_free_room(world, one, stay))
    assert listing.id in read(episode, "search", name=listing.name, **dates(stay))
    assert full.id not in read(episode, "search", name=full.name, **dates(stay))
    assert full.id in read(episode, "search", name=full.name)


def _has_free_room(world: World, listing: Listing, stay: Stay) -> bool:
    state = State(trips=world.trips)
    return any(
        not booking_refusal(world, state, listing=listing, room=room, stay=stay) for room in listing.rooms
    )


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ({"area": "0"}, lambda one, world: one.neighbourhood == world.town.neighbourhoods[0]),
        ({"kind": "Hotel"}, lambda one, world: one.kind == "Hotel"),
        ({"rating": "90"}, lambda one, world: one.rating >= 90),
        (
            {"amenity": "sauna"},
            lambda one, world: (
                "sauna" in one.amenities or any("sauna" in room.amenities for room in one.rooms)
            ),
        ),
    ],
)
def test_a_filter_leaves_exactly_the_matching_houses(
    read: Callable[..., str], episode: Episode, world: World, filters: dict[str, str], holds: Any
) -> None:
    if filters.get("area"):
        filters = {"area": world.town.neighbourhoods[0]}
    listed = _all_pages(read, episode, filters)
    assert listed == {one.id for one in world.listings if holds(one, world)}


def _all_pages(read: Callable[..., str], episode: Episode, query: dict[str, str]) -> set[str]:
    listed: set[str] = set()
    pages = int(re.findall(r"Page 1 of (\d+)", read(episode, "search", **query))[0])
    for number in range(1, pages + 1):
        page = read(episode, "search", page=number, **query)
        listed |= set(re.findall(r"Listing (L-\d+)", page))
    return listed


def test_values_that_no_page_offers_change_nothing(read: Callable[..., str], episode: Episode) -> None:
    odd = {"sort": "cheapest", "rating": "1", "area": "Nowhere", "page": "-1", "amenity": "x", "price": "1"}
    filtered, plain = read(episode, "search", **odd), read(episode, "search")
    assert filtered.partition(" Where ")[2] == plain.partition(" Where ")[2] != ""


def test_only_the_last_page_of_a_list_marks_its_end(read: Callable[..., str], episode: Episode) -> None:
    first = read(episode, "search")
    pages = int(re.findall(r"Page 1 of (\d+)", first)[0])
    assert pages > 1
    assert "You have reached the end of the list." not in first
    assert "You have reached the end of the list." in read(episode, "search", page=pages)


def test_bad_dates_get_an_error_message(read: Callable[..., str], episode: Episode) -> None:
    page = read(episode, "search", status=422, check_in="05/04/2027", check_out="2027-05-07")
    assert ("Enter the date as YYYY-MM-DD" in page, "No properties match" in page) == (True, False)
    page = read(episode, "search", status=422, check_in="2027-05-07", check_out="2027-05-04")
    assert "Check-out must be after check-in" in page
    page = read(episode, "search", status=422, check_in="2027-02-30", check_out="2027-05-07")
    assert "This date does not exist" in page
    page = read(episode, "search", status=422, check_in="14 March 2027", check_out="2027-05-07")
    assert "Enter the date as YYYY-MM-DD" in page


def test_empty_new_dates_get_an_error_message(
    read: Callable[..., str], episode: Episode, world: World
) -> None:
    code = next(trip.code for trip in world.trips if trip.status == "booked")
    assert "Choose a date." not in read(episode, f"trips/{code}/change")
    page = read(episode, f"trips/{code}/change", status=422, check_in="", check_out="")
    assert "Choose a date." in page


def test_amenities_are_absent_until_they_are_opened(
    read: Callable[..., str], episode: Episode, world: World
) -> None:
    listing, room, _ = offer(world)
    alone = [amenity_names("train")[one] for one in room.amenities if one not in listing.amenities]
    closed = read(episode, f"stays/{listing.id}")
    assert not [name for name in alone if name in closed.partition("Guest reviews")[0]]
    assert not any("amenities" in fact for fact in facts_shown(episode))
    opened = read(episode, f"stays/{listing.id}", amenities="all")
    assert alone
    assert all(name in opened for name in alone)
    assert f"listing/{listing.id}/room/{room.id}/amenities" in facts_shown(episode)


def test_a_calendar_shows_the_price_of_each_free_night_of_the_requested_month(
    read: Callable[..., str], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    prices = [euros(night_price(world, listing, room, day)) for day in stay.days]
    assert not any(price in read(episode, f"stays/{listing.id}") for price in prices)
    page = read(episode, f"stays/{listing.id}", room=room.id, month="2027-05")
    assert all(f"{day.day} {price}" in page for day, price in zip(stay.days, prices, strict=True))
    need = f"listing/{listing.id}/room/{room.id}/price/{stay.check_in}/{stay.check_out}"
    assert evidence.Shown(facts_shown(episode)).meets(need)


def test_the_next_month_shows_the_same_room(
    arena_client: ArenaClient, address: Callable[..., str], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    query = urlencode({**dates(stay), "room": room.id})
    page = unescape(arena_client.get(f"{address(episode, f'stays/{listing.id}')}?{query}").content.decode())
    assert f"?{query}&month=2027-04#calendar" in page


def test_the_calendar_ends_with_the_last_bookable_month(
    read: Callable[..., str], episode: Episode, world: World
) -> None:
    listing, room, _ = offer(world)
    last = read(episode, f"stays/{listing.id}", room=room.id, month="2028-04")
    assert "April 2028" in last
    assert "May 2028" not in last
    assert "March 2027" in read(episode, f"stays/{listing.id}", room=room.id, month="2028-05")


def test_the_checkout_shows_the_total_price(read: Callable[..., str], episode: Episode, world: World) -> None:
    listing, room, stay = offer(world)
    page = read(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay))
    assert f"Total price EUR {euros(quote(world, listing, room, stay).total)}" in page
    assert f"listing/{listing.id}/fees" in facts_shown(episode)


def test_a_booking_is_stored_and_shown(
    read: Callable[..., str], post: Callable[..., Any], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    answer = post(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    trip = state_of(episode, world).trips[-1]
    place = answer.headers["Location"]
    assert (answer.status_code, place.partition("?")[0]) == (303, f"../../../trips/{trip.code}/booked")
    assert (trip.listing, trip.room, trip.stay) == (listing.id, room.id, stay)
    assert trip.price == quote(world, listing, room, stay).total
    assert trip.code in read(episode, f"trips/{trip.code}/booked")
    assert trip.code in read(episode, "trips")


def test_a_booking_without_name_or_consent_is_not_made(
    follow: Callable[..., Any], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    answer = follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), name=" ", email="kim")
    assert answer.status_code == 422
    page = plain(answer.content.decode())
    assert "Enter your name." in page
    assert "Enter a valid email address" in page
    assert "Agree to the house rules" in page
    assert state_of(episode, world).trips == world.trips


def test_the_same_room_cannot_be_booked_twice(
    follow: Callable[..., Any], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    again = follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    assert again.status_code == 409
    assert len(state_of(episode, world).trips) == len(world.trips) + 1


def test_a_trip_moves_to_other_dates_for_the_fee_that_was_shown(
    read: Callable[..., str], post: Callable[..., Any], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    post(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    code = state_of(episode, world).trips[-1].code
    new = next(
        moved
        for days in range(1, 200)
        if not booking_refusal(
            world, State(trips=()), listing=listing, room=room, stay=(moved := _moved(stay, days))
        )
    )
    total = quote(world, listing, room, new).total
    page = read(episode, f"trips/{code}/change", check_in=new.check_in, check_out=new.check_out)
    assert f"New total price EUR {euros(total)}" in page
    assert f"EUR {euros(listing.policy.change_cents)}" in page
    answer = post(episode, f"trips/{code}/change", check_in=new.check_in, check_out=new.check_out)
    place = answer.headers["Location"]
    assert (answer.status_code, place.partition("?")[0]) == (303, f"../../trips/{code}")
    after = state_of(episode, world)
    trip = after.trips[-1]
    assert (trip.code, trip.stay, trip.price) == (code, new, total)
    assert sum(fee.cents for fee in after.fees) == listing.policy.change_cents


def _moved(stay: Stay, days: int) -> Stay:
    step = timedelta(days=days)
    return Stay(check_in=stay.check_in + step, check_out=stay.check_out + step, guests=stay.guests)


def test_a_trip_is_cancelled_for_the_fee_that_was_shown(
    read: Callable[..., str], follow: Callable[..., Any], episode: Episode, world: World
) -> None:
    trip = next(one for one in world.trips if one.status == "booked")
    listing = next(one for one in world.listings if one.id == trip.listing)
    fee = cancelling_fee(world, listing, trip, on=FIRST_DAY)
    assert f"Cancelling today costs EUR {euros(fee)}" in read(episode, f"trips/{trip.code}/cancel")
    assert state_of(episode, world).trips == world.trips
    assert follow(episode, f"trips/{trip.code}/cancel").status_code == 200
    after = state_of(episode, world)
    assert [one.code for one in after.trips if one.status == "cancelled"] == [trip.code]
    assert sum(paid.cents for paid in after.fees) == fee
    assert follow(episode, f"trips/{trip.code}/cancel").status_code == 409


def test_a_past_trip_can_be_neither_changed_nor_cancelled(
    read: Callable[..., str], follow: Callable[..., Any], episode: Episode, world: World
) -> None:
    trip = next(one for one in world.trips if one.status == "past")
    dates = {"check_in": "2027-06-01", "check_out": "2027-06-04"}
    assert follow(episode, f"trips/{trip.code}/change", **dates).status_code == 409
    assert follow(episode, f"trips/{trip.code}/cancel").status_code == 409
    assert "This trip is over or has been cancelled." in read(
        episode, f"trips/{trip.code}/cancel", status=409
    )
    assert state_of(episode, world).trips == world.trips


def test_the_neutral_look_has_no_pop_ups(read: Callable[..., str], episode: Episode, world: World) -> None:
    for listing in world.listings[:8]:
        read(episode, f"stays/{listing.id}", amenities="all")
    assert not SiteEvent.objects.filter(episode=episode, kind="pop_up_shown").exists()


def test_a_closed_pop_up_stays_closed_and_returns_to_the_page(
    read: Callable[..., str], post: Callable[..., Any]
) -> None:
    episode = episode_in(pop_ups="early")
    assert "Accept cookies" in read(episode)
    answer = post(episode, "close/cookies", back="search?name=Fox")
    assert (answer.status_code, answer.headers["Location"]) == (303, "../search?name=Fox")
    assert "Accept cookies" not in read(episode, "trips")


def test_each_pop_up_of_a_look_appears_once_and_alone(
    arena_client: ArenaClient, address: Callable[..., str], post: Callable[..., Any], world: World
) -> None:
    episode, met = episode_in(pop_ups="often"), []
    for listing in world.listings[:10]:
        page = arena_client.get(address(episode, f"stays/{listing.id}")).content.decode()
        names = re.findall(r'data-pop-up="(\w+)"', page)
        assert len(names) <= 1
        met += names
        for name in names:
            post(episode, f"close/{name}")
    assert sorted(met) == ["cookies", "newsletter", "prices", "session", "sign_up"]


@pytest.mark.parametrize("back", ["../../lab", "//example.org", "https://example.org", "trips/../.."])
def test_a_pop_up_never_redirects_off_the_site(post: Callable[..., Any], episode: Episode, back: str) -> None:
    place = post(episode, "close/cookies", back=back).headers["Location"]
    assert place == "../"


def test_reviews_can_be_searched_by_word(read: Callable[..., str], episode: Episode, world: World) -> None:
    listing = max(world.listings, key=lambda one: one.review_count)
    first = read(episode, f"stays/{listing.id}/reviews")
    assert "Page 1 of" in first
    assert "Older reviews" in first
    assert "No reviews match your search." in read(episode, f"stays/{listing.id}/reviews", q="xylophonist")


@pytest.mark.parametrize("page", ["stays/L-0", "stays/L-0/reviews", "trips/XXXXXX", "trips/XXXXXX/cancel"])
def test_pages_that_do_not_exist_are_404(
    arena_client: ArenaClient, address: Callable[..., str], episode: Episode, page: str
) -> None:
    assert arena_client.get(address(episode, page)).status_code == 404
