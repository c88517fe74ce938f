"""The booking site's header and footer, and the pages that they lead to."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from core.episodes.presentation import AXES
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.stays import _information
from tasks_app.worlds.stays.types import World
from tests.arena.test_stays import FIRST_DAY, dates, episode_in, offer
from tests.arena.test_stays import read as read
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient
from trajectories.models import SiteEvent

pytestmark = pytest.mark.django_db

FRAME = re.compile(r"<(header|footer)\b.*?</\1>", re.DOTALL)


@pytest.mark.parametrize("wording", AXES["labels"])
def test_every_link_of_the_frame_leads_to_a_page(
    arena_client: ArenaClient, address: Callable[..., str], wording: str
) -> None:
    episode = episode_in(labels=wording)
    frame = "".join(match[0] for match in FRAME.finditer(arena_client.get(address(episode)).content.decode()))
    links = {link.removeprefix("./") for link in re.findall(r'href="(.*?)"', frame)}
    assert links == {"", "search", "trips", "account", *_information.ADDRESSES}
    assert {link: arena_client.get(address(episode, link)).status_code for link in links} == dict.fromkeys(
        links, 200
    )


@pytest.mark.parametrize("path", _information.ADDRESSES)
def test_a_page_about_the_site_states_no_fact_of_the_world(
    arena_client: ArenaClient, address: Callable[..., str], world: World, path: str
) -> None:
    episode = episode_in()
    page = unescape(arena_client.get(address(episode, path)).content.decode()).partition("<main")[2]
    page = page.partition("</main>")[0]
    assert f"<h1>{load_labels('stays', 'plain')[_information.ADDRESSES[path]]}</h1>" in page
    assert not re.search(r"EUR|\bL-\d|\bR-\d", page)
    assert not [one for one in world.listings if one.name in page]
    assert {*SiteEvent.objects.filter(episode=episode).values_list("kind", flat=True)} == {"page_served"}


def test_the_guest_is_the_same_person_on_every_page(read: Callable[..., str], world: World) -> None:
    episode = episode_in()
    home, account = read(episode), read(episode, "account")
    (name,) = re.findall(r"Today is Mon 1 March 2027 \w\w (\w+ \w+) Your account", home)
    assert account.count(name) == 2
    since = re.findall(r"With Staywell since (\w+) (\d{4})", account)
    assert since
    assert int(since[0][1]) < FIRST_DAY.year


def test_the_nights_of_the_stay_are_a_band_in_the_calendar(
    arena_client: ArenaClient, address: Callable[..., str], world: World
) -> None:
    listing, room, stay = offer(world)
    query = "&".join(f"{name}={value}" for name, value in {**dates(stay), "room": room.id}.items())
    path = address(episode_in(), f"stays/{listing.id}")
    page = arena_client.get(f"{path}?{query}").content.decode()
    band = re.findall(r'class="is-free is-chosen([^"]*)"><span class="stays-day">(\d+)', page)
    assert band == [(" is-first", "4"), ("", "5"), (" is-last", "6")]
    other = arena_client.get(f"{path}?{query}&month=2027-06").content.decode()
    assert "is-chosen" not in other


def test_the_box_of_dates_shows_the_lowest_price_of_the_rooms(read: Callable[..., str], world: World) -> None:
    listing, _, stay = offer(world)
    page = read(episode_in(), f"stays/{listing.id}", **dates(stay))
    prices = re.findall(r"EUR ([\d.]+) for 3 nights before extra guests", page)
    box, rooms = prices[0], prices[1:]
    assert float(box) == min(map(float, rooms))
    assert f"from EUR {box}" in page


def test_a_spread_of_scores_counts_every_review(read: Callable[..., str], world: World) -> None:
    listing = max(world.listings, key=lambda one: one.review_count)
    page = read(episode_in(), f"stays/{listing.id}/reviews")
    counts = [int(count) for count in re.findall(r"(?:9–10|7–8|5–6|1–4) (\d+)", page)]
    assert len(counts) == 4
    assert f"{sum(counts)} reviews" in page
