from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from core.episodes.presentation import AXES, Look
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.stays import _panels, _results
from tasks_app.families.stays.common import moves
from tasks_app.questions import questions
from tasks_app.worlds.keys import changes_seal
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.world import world as world_draw
from tests import factories
from tests.arena.test_stays import TEXT, dates, episode_in, key, offer
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient
from trajectories.models import Episode

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

TEMPLATES = Path(__file__).parents[2] / "gymsite" / "arena" / "templates"
FORM = "application/x-www-form-urlencoded"

Read = Callable[..., str]


@pytest.fixture
def bytes_of(arena_client: ArenaClient, address: Callable[..., str]) -> Read:
    """A page as it is sent, unescaped, below its task bar."""

    def get(episode: Episode, page: str = "", /, **query: Any) -> str:
        response = arena_client.get(f"{address(episode, page)}?{urlencode(query, doseq=True)}")
        return unescape(response.content.decode()).partition("<main")[2]

    return get


RESULTS = re.compile(r"Listing (L-\d+)")
REVIEWS = re.compile(r"</p>\s*<p>([^<]{80,})</p>")


@pytest.mark.parametrize("paging", AXES["paging"])
@pytest.mark.parametrize(
    ("listing", "page", "pattern", "least"),
    [
        *((listing, "search", RESULTS, 12) for listing in AXES["listing"]),
        ("cards", "stays/{}/reviews", REVIEWS, 1),
    ],
)
def test_later_entries_of_a_list_are_not_in_the_bytes_of_its_first_page(
    bytes_of: Read, world: World, paging: str, listing: str, page: str, pattern: re.Pattern[str], least: int
) -> None:
    episode = episode_in(paging=paging, listing=listing)
    path = page.format(max(world.listings, key=lambda one: one.review_count).id)
    first, second = (bytes_of(episode, path, sort="name", page=number) for number in (1, 2))
    here, later = (set(pattern.findall(page)) for page in (first, second))
    assert min(len(here), len(later)) >= least
    assert not [one for one in later if one in first]
    assert 'rel="next"' in first


@pytest.mark.parametrize("sections", AXES["sections"])
@pytest.mark.parametrize("labels", AXES["labels"])
def test_folded_parts_of_a_houses_page_are_absent_until_they_are_opened(
    bytes_of: Read, world: World, sections: str, labels: str
) -> None:
    listing, room, _ = offer(world)
    episode = episode_in(sections=sections, labels=labels, slow="long")
    shared = load_labels("stays", labels)["shared"]
    closed = bytes_of(episode, f"stays/{listing.id}")
    assert shared not in closed
    assert "stays-calendar" not in closed
    assert shared in bytes_of(episode, f"stays/{listing.id}", amenities="all")
    assert "stays-calendar" in bytes_of(episode, f"stays/{listing.id}", room=room.id)


def test_a_pop_up_is_not_in_the_bytes_before_it_is_due(bytes_of: Read, world: World) -> None:
    episode = episode_in(pop_ups="late")
    assert "data-pop-up=" not in bytes_of(episode)
    for listing in world.listings[:6]:
        page = bytes_of(episode, f"stays/{listing.id}")
    assert "data-pop-up=" in page


USUAL = ["about", "rooms", "amenities", "policy", "reviews"]


@pytest.mark.parametrize("sections", AXES["sections"])
def test_sections_come_in_the_order_of_the_look(bytes_of: Read, world: World, sections: str) -> None:
    page = bytes_of(episode_in(sections=sections), f"stays/{world.listings[0].id}")
    headings = re.findall(r'<h2 id="(about|rooms|amenities|policy|reviews)"', page)
    assert sorted(headings) == sorted(USUAL)
    assert (headings == USUAL, headings == USUAL[::-1]) == (sections == "usual", sections == "reversed")


@pytest.mark.parametrize("form", AXES["form"])
def test_each_page_has_each_form_once_wherever_the_look_puts_it(
    bytes_of: Read, world: World, form: str
) -> None:
    listing, _, stay = offer(world)
    episode = episode_in(form=form)
    assert bytes_of(episode).count('id="place"') == 1
    results = bytes_of(episode, "search", **dates(stay))
    assert (results.count('id="place"'), results.count('id="sort"')) == (1, 1)
    assert bytes_of(episode, f"stays/{listing.id}").count('id="check-in"') == 1


CAPTION = re.compile(r"<(?:h[1-3]|button|label|legend|summary)\b[^>]*>\s*([A-Za-z][^<{]*)")
"""Words that stand in a template itself, where a label belongs."""


def test_every_heading_button_and_field_of_a_site_takes_its_words_from_a_label() -> None:
    folders = (TEMPLATES / "stays", TEMPLATES / "reviews")
    files = [file for folder in folders for file in folder.rglob("*.html")]
    assert len(files) > 60
    assert [(file.name, word) for file in files for word in CAPTION.findall(file.read_text())] == []


def test_every_label_of_the_templates_is_in_the_table() -> None:
    read = (file.read_text() for file in (TEMPLATES / "stays").rglob("*.html"))
    used = {name for text in read for name in re.findall(r"labels\.(\w+)", text)}
    assert used
    assert used <= load_labels("stays", "plain").keys()


@pytest.mark.parametrize("wording", AXES["labels"])
def test_titles_and_statuses_use_the_wording_of_the_look(bytes_of: Read, world: World, wording: str) -> None:
    labels, episode = load_labels("stays", wording), episode_in(labels=wording)
    trip = next(one for one in world.trips if one.status == "booked")
    titles = {
        "trips": labels["nav_trips"],
        f"trips/{trip.code}": labels["trip"].format(trip.code),
        f"trips/{trip.code}/change": labels["change_title"],
        f"trips/{trip.code}/cancel": labels["cancel_title"],
        "search": labels["results_title"].format(world.town.name),
    }
    assert {path: f"<h1>{title}</h1>" in bytes_of(episode, path) for path, title in titles.items()} == (
        dict.fromkeys(titles, True)
    )
    assert f'<h2 id="booked">{labels["booked"]}</h2>' in bytes_of(episode, "trips")


def test_every_control_has_four_distinct_wordings() -> None:
    """The words of a control may be equal in two wordings; all of a wording are not."""
    tables = [load_labels("stays", wording) for wording in AXES["labels"]]
    assert all(text.strip() for table in tables for text in table.values())
    assert all(text.count("{}") == tables[0][name].count("{}") or name.startswith("nav") or name == "anywhere"
               for table in tables for name, text in table.items())  # fmt: skip
    for one in tables:
        for other in tables:
            same = sum(one[name] == other[name] for name in one)
            assert one is other or same < len(one) / 3


LOCAL = {"en-GB": "Tue 29 February 2028", "en-US": "Tue, February 29, 2028"}


@pytest.mark.parametrize("clock", [time(0, 1), time(23, 30)], ids=str)
@pytest.mark.parametrize("locale", LOCAL)
@pytest.mark.parametrize("zone", AXES["time_zone"])
def test_days_follow_the_episodes_time_zone_and_locale(
    bytes_of: Read, zone: str, locale: str, clock: time
) -> None:
    """A leap day, just after midnight and at half past eleven in the evening."""
    episode = _episode_on(date(2028, 2, 29), clock=clock, zone=zone, locale=locale)
    assert LOCAL[locale] in _whole(bytes_of, episode)


def _whole(bytes_of: Read, episode: Episode) -> str:
    """Bad dates, so that the page names the first day."""
    return bytes_of(episode, "search", check_in="2020-01-01", check_out="2020-01-02")


def _episode_on(day: date, *, clock: time, zone: str, **look: Any) -> Episode:
    payload = {
        "site": "stays", "world": 7, "edition": "train", "first_day": day.isoformat(),
        "changes": changes_seal([], key=key(), text=TEXT), "text": TEXT, "format": "plain",
        "fields": ["A", "B"],
    }  # fmt: skip
    task = factories.task(kind="site", payload=payload)
    start = datetime.combine(day, clock, tzinfo=ZoneInfo(zone))
    return factories.episode(task=task, virtual_start=start, presentation={"time_zone": zone, **look})


FIRST_DAYS = (
    date(2028, 2, 29), date(2027, 3, 28), date(2027, 11, 7), date(2027, 12, 31), date(2037, 4, 5),
)  # fmt: skip


@pytest.mark.parametrize("zone", AXES["time_zone"])
@pytest.mark.parametrize("day", FIRST_DAYS, ids=str)
def test_today_and_the_time_are_the_episodes_own(
    arena_client: ArenaClient, address: Callable[..., str], day: date, zone: str
) -> None:
    """Also on a day when the clocks change in that zone; a pop-up shows the time."""
    episode = _episode_on(day, clock=time(9), zone=zone, pop_ups="often")
    for name in ("cookies", "newsletter", "sign_up", "prices"):
        arena_client.generic("POST", address(episode, f"close/{name}"), "", content_type=FORM)
    world = world_draw(key(), edition="train", first_day=day)
    for listing in world.listings[:12]:
        page = arena_client.get(address(episode, f"stays/{listing.id}")).content.decode()
    assert f"{day.day} {day:%B} {day.year}</p>" in page
    now = datetime.fromisoformat(re.findall(r'data-now="(.*?)"', page)[0])
    assert now.astimezone(ZoneInfo(zone)).date() == day
    assert f"It is {now.astimezone(ZoneInfo(zone)):%H:%M}, " in page


@pytest.mark.parametrize(("locale", "first"), [("en-GB", "Monday"), ("en-US", "Sunday")])
def test_the_locale_sets_the_first_day_of_the_week(
    bytes_of: Read, world: World, locale: str, first: str
) -> None:
    listing, room, _ = offer(world)
    page = bytes_of(episode_in(locale=locale), f"stays/{listing.id}", room=room.id)
    assert re.findall(r'abbr="(\w+)"', page)[0] == first


@pytest.mark.parametrize(("panels", "count"), [("none", 0), ("one", 1), ("two", 2)])
def test_panels_are_as_many_as_the_look_has_and_always_the_same(
    bytes_of: Read, panels: str, count: int
) -> None:
    pages = [bytes_of(episode_in(panels=panels), "trips") for _ in range(2)]
    assert [page.count('class="stays-panel"') for page in pages] == [count, count]
    assert pages[0] == pages[1]


def test_there_are_at_least_eight_panels_and_none_answers_a_task(bytes_of: Read, world: World) -> None:
    assert len(_panels.MAKERS) >= 8
    met = set()
    for listing in world.listings[:40]:
        page = bytes_of(episode_in(panels="two"), f"stays/{listing.id}/reviews")
        for title, text in re.findall(
            r'<aside class="stays-panel"\s+aria-label="(.*?)"(.*?)</aside>', page, re.DOTALL
        ):
            met.add(title)
            assert "EUR" not in text
            assert not re.search(r"\b\d\.\d\b", text)
    assert len(met) >= 8


@pytest.mark.parametrize("page", ["change", "cancel"])
@pytest.mark.parametrize(("status", "heading"), [("past", "over"), ("cancelled", "cancelled")])
def test_the_page_of_a_trip_that_ended_names_its_status_and_links_to_the_trip(
    arena_client: ArenaClient,
    address: Callable[..., str],
    follow: Callable[..., Any],
    world: World,
    page: str,
    status: str,
    heading: str,
) -> None:
    episode = episode_in()
    trip = next(one for one in world.trips if one.status == ("booked" if status == "cancelled" else status))
    if status == "cancelled":
        follow(episode, f"trips/{trip.code}/cancel")
    response = arena_client.get(address(episode, f"trips/{trip.code}/{page}"))
    text = response.content.decode()
    assert response.status_code == 409
    assert re.findall(r"<h1[^>]*>\s*(.*?)\s*</h1>", text) == [f"This trip is {heading}"]
    assert f'trips/{trip.code}">View this trip</a>' in text
    assert 'trips">See all my trips</a>' in text


@pytest.mark.parametrize("title", ["Weather", "This week in"])
def test_a_panel_has_the_same_text_on_every_page(bytes_of: Read, world: World, title: str) -> None:
    episode = episode_in(panels="two")
    pages = [bytes_of(episode, f"stays/{listing.id}") for listing in world.listings[:40]]
    panels = [
        text
        for page in pages
        for label, text in re.findall(
            r'<aside class="stays-panel"\s+aria-label="(.*?)"(.*?)</aside>', page, re.DOTALL
        )
        if label.startswith(title)
    ]
    assert len(panels) > 1
    assert len(set(panels)) == 1


def test_families_and_pages_agree_on_the_results_per_page() -> None:
    assert moves.RESULTS_A_PAGE == _results.PER_PAGE


@pytest.mark.parametrize(
    ("look", "more"),
    [
        ({}, 1),
        ({"pop_ups": "often"}, 6),
        ({"form": "dialog"}, 5),
        ({"listing": "table", "paging": "scroll"}, 1),
    ],
)
def test_the_bar_is_opened_and_a_look_adds_its_pop_ups_and_dialogs_to_the_moves(
    look: Mapping[str, Any], more: int
) -> None:
    assert questions.get("site").more_moves({"forms": 4}, Look(**look)) == more
