from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from html import unescape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.episodes.presentation import AXES, Look
from gymsite.arena.panels import SLOW_MS
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.reviews._page import NUMBERS, SECTIONS, WRITTEN
from gymsite.arena.sites.reviews._wording import day_text, time_text
from gymsite.arena.sites.site import order_sections
from tasks_app.questions import questions
from tasks_app.worlds.evidence import LOOKS_MAX
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.text import reviews
from tasks_app.worlds.reviews.types import FOLD
from tasks_app.worlds.reviews.world import world as world_draw
from tests.conftest import ArenaClient
from tests.reviews_shop import FIRST_DAY, drawn_task, episode_of, payload_of, smallest, task_of, world
from trajectories.models import Episode, SiteEvent

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

TEMPLATES = Path(__file__).parents[2] / "gymsite" / "arena" / "templates" / "reviews"
PAGES = ("", "products/{}", "products/{}/reviews", "products/{}/questions", "basket", "account", "help")
DAYS = [date(2028, 2, 29), date(2027, 3, 28), date(2026, 12, 31), date(2027, 3, 14), date(2037, 3, 1)]
HELD_MOST = 10

Read = Callable[..., str]


@pytest.fixture
def read(arena_client: ArenaClient, address: Callable[..., str]) -> Read:
    """The page of an episode, by its path and query, about the product with fewest reviews."""

    def get(episode: Episode, page: str = "") -> str:
        response = arena_client.get(address(episode, page.format(smallest().id)))
        assert response.status_code == 200
        return unescape(response.content.decode())

    return get


@pytest.fixture
def post(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def send(episode: Episode, page: str, body: str = "") -> Any:
        kind = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, page), body, content_type=kind)

    return send


def an_episode(**axes: Any) -> Episode:
    return episode_of(task_of(), look=Look(**axes))


def main_of(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


# ---- wordings


def test_every_name_has_a_wording_of_each_kind_and_pages_use_no_other() -> None:
    used = {
        name for file in TEMPLATES.rglob("*.html") for name in re.findall(r"labels\.(\w+)", file.read_text())
    }
    assert used
    assert used <= set(load_labels("reviews", "plain"))


@pytest.mark.parametrize("wording", AXES["labels"])
def test_no_two_names_of_a_wording_are_the_same(wording: str) -> None:
    labels = list(load_labels("reviews", wording).values())
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("wording", AXES["labels"])
def test_a_wording_is_on_the_page_and_the_others_are_not(read: Read, wording: str) -> None:
    page = main_of(read(an_episode(labels=wording), "products/{}/reviews"))
    for name in ("show", "more", "next", "helpful"):
        assert re.search(rf">\s*{re.escape(load_labels('reviews', wording)[name])}\s*<", page)
    others = {load_labels("reviews", other)["more"] for other in AXES["labels"] if other != wording}
    assert not any(re.search(rf">\s*{re.escape(other)}\s*</a>", page) for other in others)


# ---- sections, lists, forms, panels


@pytest.mark.parametrize("kind", sorted(SECTIONS))
def test_each_order_has_every_section_once(kind: str) -> None:
    usual = list(SECTIONS[kind])
    assert order_sections(Look(), usual, seed=kind) == usual
    assert order_sections(Look(sections="reversed"), usual, seed=kind) == usual[::-1]
    mixed = {
        tuple(order_sections(Look(sections="mixed", accent=str(accent), font=str(font)), usual, seed=kind))
        for accent in AXES["accent"]
        for font in AXES["font"]
    }
    assert all(sorted(order) == sorted(usual) for order in mixed)
    assert len(mixed) > 1


@pytest.mark.parametrize("listing", AXES["listing"])
@pytest.mark.parametrize("page", PAGES)
def test_every_list_has_the_same_content_in_each_layout(read: Read, listing: str, page: str) -> None:
    def words(look: str) -> set[str]:
        return set(re.findall(r"\w+", re.sub(r"<[^>]+>", " ", main_of(read(an_episode(listing=look), page)))))

    assert words("cards") - words(listing) <= {"By", "asked", "on"}


@pytest.mark.parametrize("form", AXES["form"])
def test_the_form_is_there_once_wherever_it_stands(read: Read, form: str) -> None:
    page = read(an_episode(form=form), "products/{}/reviews")
    assert page.count('role="search"') == 1
    assert ("popovertarget" in page) == (form == "dialog")


@pytest.mark.parametrize("panels", AXES["panels"])
def test_panels_are_as_many_as_the_look_says_and_stay_the_same(read: Read, panels: str) -> None:
    episode = an_episode(panels=panels)
    pages = [re.findall(r'<aside class="panel" aria-label="([^"]+)"', read(episode, PAGES[2])) for _ in "ab"]
    assert len(pages[0]) == NUMBERS[panels]
    assert pages[0] == pages[1]
    assert len({panel.title for panel in WRITTEN}) >= 8


@pytest.mark.parametrize("slow", AXES["slow"])
def test_the_review_list_is_never_delayed(read: Read, slow: str) -> None:
    page = main_of(read(an_episode(slow=slow, panels="one"), PAGES[2]))
    late = re.findall(r'data-slow="(\d+)"', page)
    assert {int(each) for each in late} == ({SLOW_MS[slow]} if SLOW_MS[slow] else set())
    assert "data-slow" not in page.partition('class="narrowed')[2].partition("data-paging-status")[0]


# ---- what is behind an interaction


@pytest.mark.parametrize("listing", AXES["listing"])
@pytest.mark.parametrize("paging", AXES["paging"])
def test_hidden_content_is_absent_in_every_paging(read: Read, paging: str, listing: str) -> None:
    page = read(an_episode(paging=paging, listing=listing, pop_ups="often", panels="two"), PAGES[2])
    all_of = reviews(world(), smallest().id)
    assert all(f'id="{one.id}"' in page for one in all_of[:HELD_MOST])
    assert not any(one.id in page for one in all_of[HELD_MOST:])
    assert not any(one.folded in page for one in all_of if one.folded)
    assert not any(one.reply in page for one in all_of if one.reply)
    assert not any(" ".join(one.original) in page for one in all_of if one.original)
    assert "Are you still there?" not in page
    assert 'rel="next"' in page


def test_every_review_of_the_largest_product_can_be_opened_and_recorded() -> None:
    """Reading everything there is about a product of 600 reviews leaves room for changes."""
    for number in range(12):
        shop = world_draw(bytes([number]), first_day=FIRST_DAY)
        largest = max(shop.products, key=lambda product: product.review_count)
        entries = outlines(shop, largest.id)
        opened = sum((one.sentences > FOLD) + one.has_reply + bool(one.language) for one in entries)
        assert opened + len(entries) / 10 + HELD_MOST < LOOKS_MAX


# ---- pop-ups


def test_a_look_without_pop_ups_has_none(read: Read) -> None:
    episode = an_episode(pop_ups="none")
    assert not any("data-pop-up=" in read(episode, page) for page in PAGES * 3)


def test_pop_ups_are_closed_one_after_the_other_by_their_forms(read: Read, post: Callable[..., Any]) -> None:
    episode = an_episode(pop_ups="often")
    met: list[str] = []
    pages = [
        "",
        *PAGES[1:],
        *(
            f"products/{{}}/reviews?sort={sort}&page={page}"
            for sort in ("oldest", "best")
            for page in range(1, 6)
        ),
    ]
    for page in pages:
        drawn = re.findall(r'data-pop-up="(\w+)"', read(episode, page))
        assert len(drawn) <= 1
        for name in drawn:
            assert name not in met
            met.append(name)
            assert post(episode, f"close/{name}").status_code == 303
    assert sorted(met) == ["cookies", "newsletter", "prices", "session", "sign_up"]
    noted = SiteEvent.objects.filter(episode=episode, kind__in=["pop_up_shown", "banner_closed"]).order_by(
        "seq"
    )
    assert [event.data["name"] for event in noted] == [name for name in met for _ in "ab"]


def test_behind_a_wall_only_the_task_bar_can_be_used(read: Read) -> None:
    episode = an_episode(pop_ups="often")
    closed = [("banner_closed", {"name": name}) for name in ("cookies", "newsletter", "prices", "session")]
    seen = [("shown", {"facts": [f"review V{number}"]}) for number in range(20)]
    for seq, (kind, data) in enumerate((*closed, *seen), start=1):
        SiteEvent.objects.create(episode=episode, seq=seq, kind=kind, data=data)
    page = read(episode)
    assert 'data-pop-up="sign_up"' in page
    assert page.count("inert") == 3
    assert "inert" not in page.partition('class="shop-header"')[0]
    assert 'aria-modal="true"' in page.partition('data-pop-up="sign_up"')[2]


def test_closing_an_unknown_pop_up_is_404(post: Callable[..., Any]) -> None:
    episode = an_episode(pop_ups="often")
    assert post(episode, "close/everything").status_code == 404


# ---- clock, zone and locale


def test_days_and_times_are_formatted_for_the_locale() -> None:
    assert day_text(date(2028, 2, 29), locale="en-GB") == "29 February 2028"
    assert day_text(date(2028, 2, 29), locale="en-US") == "February 29, 2028"
    zone = ZoneInfo("Europe/Berlin")
    times = [
        time_text(datetime(2027, 3, 28, hour, 5, tzinfo=zone), locale="en-US") for hour in (0, 3, 12, 23)
    ]
    assert times == ["12:05 AM", "3:05 AM", "12:05 PM", "11:05 PM"]
    assert time_text(datetime(2027, 3, 28, 3, 5, tzinfo=zone), locale="en-GB") == "03:05"


@pytest.mark.parametrize("time_zone", AXES["time_zone"])
@pytest.mark.parametrize("first_day", DAYS)
def test_a_page_shows_the_episodes_day_in_its_time_zone(read: Read, first_day: date, time_zone: str) -> None:
    look = Look(time_zone=time_zone, locale="en-US")
    task = drawn_task("count_mentions", level=1, first_day=first_day)
    page = read(episode_of(task, look=look, first_day=first_day))
    assert f"Today is {day_text(first_day, locale='en-US')}." in page
    now = datetime.fromisoformat(re.findall(r'data-now="([^"]+)"', page)[0]).astimezone(ZoneInfo(time_zone))
    assert (now.date(), now.hour) == (first_day, 9)


# ---- moves


@pytest.mark.parametrize(
    ("axes", "more"),
    [
        ({}, 1),
        ({"pop_ups": "late"}, 3),
        ({"pop_ups": "often", "form": "dialog"}, 8),
        ({"paging": "scroll"}, 1),
    ],
)
def test_the_bar_is_opened_and_a_look_adds_its_pop_ups_and_its_dialog(
    axes: dict[str, Any], more: int
) -> None:
    assert questions.get("site").more_moves(payload_of(task_of()), replace(Look(), **axes)) == more


def test_a_dialog_is_opened_for_each_of_five_products() -> None:
    task = drawn_task("most_of_five", level=1)
    assert questions.get("site").more_moves(payload_of(task, edition="test"), Look(form="dialog")) == 11
