"""Refusals of the booking site, what they keep, and when a page mentions more."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tasks_app.worlds.stays import text
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import amenity_names
from tests.arena.test_stays import WHO, dates, episode_in, offer, state_of
from tests.arena.test_stays import episode as episode
from tests.arena.test_stays import post as post
from tests.arena.test_stays import read as read
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db


REFUSED = [({"answer": ["", " "]}, 422), ({"answer": ["9" * (settings.ANSWER_MAX_CHARS + 1), "L-1"]}, 413)]


@pytest.mark.parametrize(("answers", "status"), REFUSED)
def test_a_refused_answer_keeps_the_page(
    arena_client: ArenaClient,
    address: Callable[..., str],
    follow: Callable[..., Any],
    episode: Episode,
    world: World,
    answers: dict[str, list[str]],
    status: int,
) -> None:
    listing, room, stay = offer(world)
    path = f"stays/{listing.id}/book/{room.id}?{urlencode(dates(stay))}"
    page = arena_client.get(address(episode, path)).content.decode()
    back = unescape(re.findall(r'name="back" value="([^"]*)"', page)[0])
    assert back == path
    refused = follow(episode, "submit", placed="1", back=back, **answers)
    html = refused.content.decode()
    assert refused.status_code == status
    assert 'id="answer-error"' in html
    assert "<h1>Confirm your booking</h1>" in html
    assert refused.request["PATH_INFO"] == address(episode, path.partition("?")[0])
    assert unescape(re.findall(r'name="back" value="([^"]*)"', html)[0]) == path
    assert state_of(episode, world).trips == world.trips


@pytest.mark.parametrize(
    "back", ["", "../../lab", "//example.org", "trips/NONE", "nowhere", "close/cookies", "submit"]
)
def test_a_refused_answer_with_a_foreign_return_address_stays_inside_the_episode(
    follow: Callable[..., Any], address: Callable[..., str], episode: Episode, back: str
) -> None:
    refused = follow(episode, "submit", placed="1", back=back, answer=["", ""])
    assert refused.status_code in (405, 422)
    assert refused.request["PATH_INFO"].startswith(address(episode))
    assert 'aria-label="Task"' in refused.content.decode()


def test_a_pop_up_over_a_refused_form_keeps_what_was_typed(
    arena_client: ArenaClient,
    address: Callable[..., str],
    post: Callable[..., Any],
    follow: Callable[..., Any],
    world: World,
) -> None:
    episode = episode_in(pop_ups="early")
    listing, room, stay = offer(world)
    path = f"stays/{listing.id}/book/{room.id}"
    typed = {"name": "Kim Ü", "email": "nobody", "wishes": "a & b"}
    failed = follow(episode, path, **dates(stay), **typed)
    page = failed.content.decode()
    assert (failed.status_code, page.count('data-pop-up="cookies"')) == (422, 1)
    assert 'value="Kim Ü"' in page
    assert "a &amp; b</textarea>" in page
    assert SiteEvent.objects.filter(episode=episode, kind="pop_up_shown").count() == 1

    back = unescape(re.findall(r'name="back" value="([^"]*)"', page)[-1])
    place = post(episode, "close/cookies", back=back).headers["Location"]
    assert place == f"../{back}"
    again = arena_client.get(address(episode, back)).content.decode()
    assert 'value="Kim Ü"' in again
    assert "a &amp; b</textarea>" in again
    assert "data-pop-up" not in again
    assert state_of(episode, world).trips == world.trips


@pytest.mark.parametrize("amount", [6000, 9000])
def test_a_refused_form_keeps_text_up_to_the_length_of_its_fields(
    follow: Callable[..., Any], world: World, amount: int
) -> None:
    listing, room, stay = offer(world)
    page = follow(
        episode_in(), f"stays/{listing.id}/book/{room.id}", **dates(stay), wishes="ü" * amount
    ).content.decode()
    assert f"{'ü' * 400}</textarea>" in page


@pytest.mark.parametrize("has_more", [False, True])
def test_a_house_mentions_more_amenities_only_if_there_are_more(
    read: Callable[..., str], episode: Episode, world: World, monkeypatch: pytest.MonkeyPatch, has_more: bool
) -> None:
    listing = world.listings[0]
    few = len(listing.amenities) - has_more
    monkeypatch.setattr(text, "HIGHLIGHTS", few)
    (line,) = re.findall(r"Shared by all guests: ([^.]*\.)", read(episode, f"stays/{listing.id}"))
    names = ", ".join(amenity_names(world.edition)[one] for one in listing.amenities[:few])
    assert line == f"{names}{' and more' if has_more else ''}."


def test_moving_a_trip_to_its_own_dates_is_refused_and_costs_nothing(
    read: Callable[..., str], follow: Callable[..., Any], episode: Episode, world: World
) -> None:
    listing, room, stay = offer(world)
    follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    before = state_of(episode, world)
    path = f"trips/{before.trips[-1].code}/change"
    assert "already has these dates" not in read(episode, path)
    own = {"check_in": stay.check_in, "check_out": stay.check_out}
    answer = follow(episode, path, **own)
    assert answer.status_code == 409
    assert "Your trip already has these dates." in answer.content.decode()
    assert "New total price" not in answer.content.decode()
    after = state_of(episode, world)
    assert (after.trips, after.fees) == (before.trips, ())
