"""Unknown addresses of a mock site, and the confirmation of a completed action."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gymsite.arena import site_dispatch
from tasks_app.worlds.stays.types import World
from tests import factories, reviews_shop
from tests.arena.test_stays import WHO, dates, episode_in, offer
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient
from trajectories.models import Episode

pytestmark = pytest.mark.django_db

SITES = {"stays": episode_in, "reviews": lambda: reviews_shop.episode_of(reviews_shop.task_of())}
NEWS = re.compile(r'role="status">(.+?)<')
BAR = re.compile(r'<details class="task-fold"( open|)>')

FORM = "application/x-www-form-urlencoded"


def in_frame(page: str) -> bool:
    """Task bar, the site's own header, and a way home."""
    return all(part in page for part in ('aria-label="Task"', "<header", "<nav", "notice-warn"))


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "nowhere", 404),
        ("GET", "stays/L-0/reviews", 404),
        ("GET", "products/none/reviews", 404),
        ("GET", "close/cookies", 404),
        ("GET", "pictures/none", 404),
        ("GET", "pictures/none.320.webp", 404),
        ("GET", "submit", 405),
        ("GET", "events", 405),
        ("PUT", "trips", 405),
        ("POST", "", 405),
        ("GET", "?" + "&".join(["x=1"] * 1_001), 400),
    ],
)
def test_an_unknown_address_gets_an_error_page_of_the_site_with_a_link_home(
    arena_client: ArenaClient, address: Callable[..., str], site: str, method: str, path: str, status: int
) -> None:
    answer = arena_client.generic(method, address(SITES[site](), path))
    page = answer.content.decode()
    assert answer.status_code == status
    assert in_frame(page)
    home = "../" * path.partition("?")[0].count("/") or "./"
    assert f'class="button" href="{home}"' in page
    assert ("Allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize("site", SITES)
def test_the_task_bar_is_open_on_the_first_page_and_where_an_answer_was_refused(
    arena_client: ArenaClient, address: Callable[..., str], site: str
) -> None:
    episode = SITES[site]()
    paths = ("", "", "nowhere", "?refused=no_answer", "")
    bars = [BAR.findall(arena_client.get(address(episode, path)).content.decode()) for path in paths]
    assert bars == [[" open"], [""], [""], [" open"], [""]]


@pytest.mark.parametrize("path", ["trips", "a/b", "submit"])
@pytest.mark.parametrize(
    ("body", "content_type", "code", "status"),
    [("{}", "application/json", "not_a_form", 400), ("answer=" + "x" * 2_000_000, FORM, "too_large", 413)],
)
def test_an_unreadable_form_gets_an_error_page_of_the_site(
    arena_client: ArenaClient,
    address: Callable[..., str],
    path: str,
    body: str,
    content_type: str,
    code: str,
    status: int,
) -> None:
    episode = episode_in()
    answer = arena_client.post(address(episode, path), body, content_type=content_type)
    home = "../" * path.count("/") or "./"
    assert (answer.status_code, answer["Location"]) == (303, f"{home}?refused={code}")
    page = arena_client.get(address(episode, f"?refused={code}"))
    assert page.status_code == status
    assert in_frame(page.content.decode())
    assert "This form was not accepted" in page.content.decode()


def test_a_finished_and_an_unknown_episode_get_the_same_404(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = episode_in()
    Episode.objects.filter(pk=episode.pk).update(status="closed")
    gone = arena_client.get(address(episode, "nowhere"))
    assert gone.status_code == 404
    assert gone.content == arena_client.get("/e/abc/nowhere").content
    assert "Task" not in gone.content.decode()


def test_a_completed_action_is_confirmed_once(
    arena_client: ArenaClient, address: Callable[..., str], follow: Callable[..., Any], world: World
) -> None:
    listing, room, stay = offer(world)
    episode = episode_in()
    booked = follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    assert NEWS.findall(booked.content.decode()) == ["Your stay is booked. Keep your confirmation code."]
    place = booked.redirect_chain[0][0].replace("../", "")
    assert site_dispatch.NEWS in place
    again = arena_client.get(address(episode, place))
    assert again.status_code == 200
    assert NEWS.findall(again.content.decode()) == []

    code = re.findall(r"trips/(\w+)/", place)[0]
    cancelled = follow(episode, f"trips/{code}/cancel")
    assert NEWS.findall(cancelled.content.decode()) == ["Your trip has been cancelled."]


def test_a_change_of_dates_is_confirmed(follow: Callable[..., Any], world: World) -> None:
    listing, room, stay = offer(world)
    episode = episode_in()
    booked = follow(episode, f"stays/{listing.id}/book/{room.id}", **dates(stay), **WHO)
    code = re.findall(r"trips/(\w+)/", booked.redirect_chain[0][0])[0]
    shorter = {**dates(stay), "check_out": stay.days[-1]}
    changed = follow(episode, f"trips/{code}/change", **shorter)
    assert NEWS.findall(changed.content.decode()) == ["The dates of your trip have been changed."]


@pytest.mark.parametrize("number", ["", "0", "1", "2", "-1", "x", "99999"])
def test_a_forged_address_shows_no_confirmation(
    arena_client: ArenaClient, address: Callable[..., str], world: World, number: str
) -> None:
    trip = next(one for one in world.trips if one.status == "booked")
    page = arena_client.get(address(episode_in(), f"trips/{trip.code}?news={number}")).content.decode()
    assert NEWS.findall(page) == []


@pytest.mark.parametrize(
    ("page", "led"),
    [("", "?news=7"), ("trips/A", "trips/A?news=7"), ("a?b=&c=1&news=3&refused=x#d", "a?b=&c=1&news=7#d")],
)
def test_a_query_parameter_is_never_added_twice(page: str, led: str) -> None:
    assert site_dispatch.with_aside(page, news="7") == led


def test_a_refused_question_keeps_what_was_typed(follow: Callable[..., Any]) -> None:
    """Questions redirect nowhere on their own, so the page is returned directly."""
    refused = follow(factories.episode(), "submit", answer="a\0b")
    assert (refused.status_code, refused.redirect_chain) == (400, [])
