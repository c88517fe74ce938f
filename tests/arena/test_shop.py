"""The shop around its reviews: search, basket, account and help."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from gymsite.arena.sites.reviews import _basket
from gymsite.arena.sites.reviews._service import TOPICS
from gymsite.arena.sites.reviews._wording import money
from tasks_app.worlds.reviews.outlines import outlines, star_counts
from tasks_app.worlds.reviews.state import Line, fold
from tests.conftest import ArenaClient
from tests.reviews_shop import episode_of, smallest, task_of, world
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
COUNT = re.compile(r'class="shop-count">(\d+)<')
HREF = re.compile(r'<a\s[^>]*href="([^"#]+)')
PRODUCT = smallest()
CHOICE = {"product": PRODUCT.id, "colour": PRODUCT.colours[1], "size": PRODUCT.sizes[0]}


@pytest.fixture
def episode() -> Episode:
    return episode_of(task_of())


@pytest.fixture
def read(arena_client: ArenaClient, address: Callable[..., str], episode: Episode) -> Callable[..., str]:
    def get(page: str = "", *, status: int = 200) -> str:
        response = arena_client.get(address(episode, page))
        assert response.status_code == status
        return unescape(response.content.decode())

    return get


@pytest.fixture
def send(arena_client: ArenaClient, address: Callable[..., str], episode: Episode) -> Callable[..., str]:
    """Where a form leads, below the first page."""

    def post(page: str, form: dict[str, Any]) -> str:
        response = arena_client.generic("POST", address(episode, page), urlencode(form), content_type=FORM)
        assert response.status_code == 303
        return str(response["Location"]).removeprefix("../")

    return post


def basket_of(episode: Episode) -> tuple[Line, ...]:
    events = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")
    return fold(world(), events).basket


def test_a_product_put_into_the_basket_is_counted_on_every_page_and_confirmed_once(
    read: Callable[..., str], send: Callable[..., str], episode: Episode
) -> None:
    assert COUNT.findall(read()) == ["0"]
    assert "Nothing in here yet." in read("basket")
    led = send("basket/add", CHOICE)
    assert _basket.UPDATED in read(led)
    assert _basket.UPDATED not in read(led)
    send("basket/add", CHOICE)
    assert [line.quantity for line in basket_of(episode)] == [2]
    assert COUNT.findall(read(f"products/{PRODUCT.id}/reviews")) == ["2"]
    assert money(2 * PRODUCT.price) in read("basket")


def test_a_line_of_the_basket_can_be_changed_and_removed(
    read: Callable[..., str], send: Callable[..., str], episode: Episode
) -> None:
    other = CHOICE | {"colour": PRODUCT.colours[0]}
    for choice in (CHOICE, other):
        send("basket/add", choice)
    send("basket/set", CHOICE | {"quantity": "7"})
    assert [line.quantity for line in basket_of(episode)] == [7, 1]
    send("basket/set", CHOICE | {"quantity": "7", "remove": "1"})
    assert [line.colour for line in basket_of(episode)] == [other["colour"]]


@pytest.mark.parametrize(
    ("page", "change", "note"),
    [
        ("add", {"colour": "Nougat"}, "“Nougat” is not an option for “Colour”."),
        ("add", {"size": "Huge"}, f"“Huge” is not an option for “{PRODUCT.size_word}”."),
        ("set", {"quantity": "99"}, "“99” is not an option for “Quantity”."),
        ("set", {"quantity": "0.5"}, "“0.5” is not an option for “Quantity”."),
    ],
)
def test_what_the_basket_does_not_offer_changes_nothing_and_gets_a_note(
    read: Callable[..., str],
    send: Callable[..., str],
    episode: Episode,
    page: str,
    change: dict[str, str],
    note: str,
) -> None:
    send("basket/add", CHOICE)
    before = basket_of(episode)
    assert note in read(send(f"basket/{page}", CHOICE | change))
    assert basket_of(episode) == before


def test_the_basket_holds_ten_of_each(
    read: Callable[..., str], send: Callable[..., str], episode: Episode
) -> None:
    send("basket/add", CHOICE)
    send("basket/set", CHOICE | {"quantity": "10"})
    assert _basket.FULL in read(send("basket/add", CHOICE))
    assert basket_of(episode)[0].quantity == _basket.MOST


def test_an_unknown_product_cannot_be_bought(
    arena_client: ArenaClient, address: Callable[..., str], episode: Episode
) -> None:
    for page in ("add", "set"):
        assert arena_client.get(address(episode, f"basket/{page}")).status_code == 404
    body = urlencode({**CHOICE, "product": "P-0"})
    path = address(episode, "basket/add")
    assert arena_client.generic("POST", path, body, content_type=FORM).status_code == 404


def test_the_search_finds_products_by_name_and_kind(read: Callable[..., str], episode: Episode) -> None:
    def matches(text: str) -> set[str]:
        page = read(f"?{urlencode({'q': text})}")
        return {product.name for product in world().products if f">{product.name}</a>" in page}

    assert matches(PRODUCT.name.upper()) == {PRODUCT.name}
    assert matches(PRODUCT.noun) == {one.name for one in world().products if one.noun == PRODUCT.noun}
    assert matches("zzzz") == set()
    assert "No products match" in read("?q=zzzz")
    assert SiteEvent.objects.filter(episode=episode, kind="products_searched").count() == 3


def test_the_bars_show_all_reviews_and_lead_to_those_with_their_stars(read: Callable[..., str]) -> None:
    counts = star_counts(world(), PRODUCT.id)
    assert counts == tuple(
        sum(one.stars == stars for one in outlines(world(), PRODUCT.id)) for stars in range(1, 6)
    )
    shares = [f"{round(100 * count / sum(counts))}%" for count in counts[::-1]]
    for page, query in (
        ("", "stars={}"),
        ("/reviews", "stars={}"),
        ("/reviews?q=a&sort=oldest", "q=a&stars={}"),
    ):
        shown = read(f"products/{PRODUCT.id}{page}")
        assert re.findall(r'spread-share">(\d+%)<', shown) == shares
        assert all(query.format(stars) in shown for stars in range(1, 6))


def test_related_items_are_other_products(read: Callable[..., str]) -> None:
    shown = (
        read(f"products/{PRODUCT.id}").partition('aria-labelledby="related"')[2].partition("</section>")[0]
    )
    linked = re.findall(r"products/(P-\d+)\"", shown)
    assert len(linked) == len(set(linked)) == 4
    assert PRODUCT.id not in linked


def test_the_account_shows_what_this_visit_did(read: Callable[..., str], send: Callable[..., str]) -> None:
    assert "None" in read("account")
    read(f"products/{PRODUCT.id}/reviews?q=lace+%26+sole")
    send(f"products/{PRODUCT.id}/reviews/{outlines(world(), PRODUCT.id)[0].id}/helpful", {"vote": "helpful"})
    page = read("account")
    assert "1 review" in page
    assert f'products/{PRODUCT.id}/reviews?q=lace+%26+sole">lace & sole</a>' in page


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_of_the_help_has_a_page_that_leads_to_the_others(
    read: Callable[..., str], topic: str
) -> None:
    page = read(f"help/{topic}" if topic else "help")
    assert all(paragraph in page for paragraph in TOPICS[topic].paragraphs)
    assert page.count("<h1>") == 1
    main = page.partition("<main")[2].partition("</main>")[0]
    assert set(re.findall(r'help/(\w+)"', main)) == TOPICS.keys() - {"", topic}


def test_every_link_of_every_kind_of_page_leads_to_a_page(
    arena_client: ArenaClient, address: Callable[..., str], episode: Episode
) -> None:
    start, seen = address(episode), set()
    pages = ("", f"products/{PRODUCT.id}", "basket", "account", "help")
    for page in pages:
        response = arena_client.get(address(episode, page))
        for href in HREF.findall(response.content.decode()):
            target = unescape(href.replace("../", "").removeprefix("./"))
            if target not in seen:
                seen.add(target)
                assert arena_client.get(start + target).status_code == 200, target
    assert len(seen) > 20


def test_an_unknown_topic_is_404(read: Callable[..., str]) -> None:
    assert "Page not found" in read("help/astrology", status=404)
