from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from gymsite.arena.sites.reviews._query import choices
from tasks_app.worlds.keys import changes_seal, world_key
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.state import State, fold
from tasks_app.worlds.reviews.text import helpful_text, reviews, search
from tasks_app.worlds.reviews.types import Product, Review, World
from tasks_app.worlds.reviews.world import world as world_draw
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db

FIRST_DAY = date(2027, 3, 1)
TEXT = "Count something."
ARTICLE = re.compile(r'<article class="review"\s+id="(V\d+)".*?</article>', re.DOTALL)

Get = Callable[..., str]


NUMBER = 1
KEY = world_key(salt=settings.WORLD_SALT, site="reviews", number=NUMBER)


@pytest.fixture
def world() -> World:
    return world_draw(KEY, edition="train", first_day=FIRST_DAY)


@pytest.fixture
def product(world: World) -> Product:
    """The one with fewest reviews."""
    return min(world.products, key=lambda product: product.review_count)


@pytest.fixture
def episode() -> Episode:
    payload = {
        "site": "reviews",
        "world": NUMBER,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=KEY, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Number of reviews", "Reviewer"],
    }
    task = factories.task(kind="site", payload=payload)
    return factories.episode(task=task, virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC))


@pytest.fixture
def read(arena_client: ArenaClient, address: Callable[..., str], episode: Episode) -> Get:
    def get(page: str = "", /, *, status: int = 200, **query: Any) -> str:
        response = arena_client.get(f"{address(episode, page)}?{urlencode(query)}")
        assert response.status_code == status, response.content.decode()
        return unescape(response.content.decode())

    return get


@pytest.fixture
def post(arena_client: ArenaClient, address: Callable[..., str], episode: Episode) -> Callable[..., Any]:
    def send(page: str, /, **form: Any) -> Any:
        kind = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, page), urlencode(form), content_type=kind)

    return send


def list_of(product: Product) -> str:
    return f"products/{product.id}/reviews"


def ids(page: str) -> list[str]:
    return ARTICLE.findall(page)


def all_ids(read: Get, product: Product, **query: Any) -> list[str]:
    """Page after page, as long as there is a next one."""
    listed: list[str] = []
    for number in range(1, 70):
        page = read(list_of(product), page=number, **query)
        listed += ids(page)
        if 'rel="next"' not in page:
            break
    return listed


def state_of(episode: Episode, world: World) -> State:
    events = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")
    return fold(world, events)


def facts_of(episode: Episode) -> set[str]:
    events = SiteEvent.objects.filter(episode=episode, kind="shown")
    return {fact for event in events for fact in event.data["facts"]}


def long_one(world: World, product: Product) -> Review:
    return next(one for one in reviews(world, product.id) if one.folded and not one.original)


def page_of(world: World, product: Product, review: Review) -> int:
    return 1 + list(reviews(world, product.id)).index(review) // 10


def test_the_shop_lists_all_products_and_each_category_its_own(read: Get, world: World) -> None:
    everything = read()
    assert all(f">{product.name}</a>" in everything for product in world.products)
    category = world.products[-1].category
    some = read(category=category)
    shown = [product.category for product in world.products if f">{product.name}</a>" in some]
    assert shown == [category] * len(shown) != []


def test_an_unknown_category_shows_all_products(read: Get) -> None:
    assert "<h1>All products</h1>" in read(category="submarines")


def test_a_product_page_leads_to_its_reviews_and_questions(read: Get, product: Product) -> None:
    page = read(f"products/{product.id}")
    assert f'href="../products/{product.id}/reviews"' in page
    assert f'href="../products/{product.id}/questions"' in page
    assert f"{product.review_count} reviews" in page


def test_an_unknown_page_of_the_shop_is_404(read: Get, product: Product) -> None:
    read("products/P-000", status=404)
    read("products/P-000/reviews", status=404)
    read(f"products/{product.id}/reviews/V0000000/helpful", status=404)
    read("close/cookies", status=404)


def test_paging_shows_every_review_once_newest_first(read: Get, world: World, product: Product) -> None:
    assert all_ids(read, product) == [review.id for review in reviews(world, product.id)]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("oldest", lambda one: one.outline.day),
        ("helpful", lambda one: -one.outline.helpful),
        ("best", lambda one: -one.outline.stars),
        ("worst", lambda one: one.outline.stars),
    ],
)
def test_each_order_sorts_by_its_name(
    read: Get, world: World, product: Product, sort: str, order: Any
) -> None:
    assert all_ids(read, product, sort=sort) == [
        review.id for review in sorted(reviews(world, product.id), key=order)
    ]


def test_filters_combine(read: Get, world: World, product: Product) -> None:
    colour = product.colours[0]
    assert all_ids(read, product, stars=4, badge="with", colour=colour) == [
        one.id
        for one in reviews(world, product.id)
        if one.outline.stars == 4 and one.outline.is_verified and one.outline.colour == colour
    ]


def test_a_month_shows_its_own_reviews(read: Get, world: World, product: Product) -> None:
    month = f"{reviews(world, product.id)[0].outline.day:%Y-%m}"
    assert all_ids(read, product, month=month) == [
        one.id for one in reviews(world, product.id) if f"{one.outline.day:%Y-%m}" == month
    ]


def test_a_value_that_no_filter_offers_is_ignored(read: Get, product: Product) -> None:
    plain = ids(read(list_of(product)))
    assert ids(read(list_of(product), stars="6", colour="x", month="2027-13", sort="id", page="0")) == plain
    assert ids(read(list_of(product), page=product.review_count)) == plain


def test_the_search_lists_the_sites_matches_and_their_number(
    read: Get, world: World, product: Product
) -> None:
    word = long_one(world, product).folded.split()[-2]
    matches = [one.id for one in search(world, product.id, word)]
    assert all_ids(read, product, q=word) == matches
    page = read(list_of(product), q=word)
    assert "Finds these letters anywhere" in page
    assert f"Your search matches {len(matches)} review" in page


def test_a_filtered_list_shows_no_count(read: Get, world: World, product: Product) -> None:
    page = read(list_of(product), stars="5", q="a")
    assert "Filters applied." in page
    assert not re.search(r"\d+ reviews?\b", page.partition("<main")[2])


def test_folded_text_is_absent_until_it_is_opened(
    read: Get, world: World, product: Product, episode: Episode
) -> None:
    review = long_one(world, product)
    number = page_of(world, product, review)
    page = read(list_of(product), page=number)
    assert review.folded not in page
    assert f"{review.shown} …</p>" in article(page, review.id)
    assert f"review {review.id} more" not in facts_of(episode)
    assert review.folded in read(list_of(product), page=number, more=review.id)
    assert f"review {review.id} more" in facts_of(episode)
    assert state_of(episode, world).unfolded == {review.id}
    page = read(list_of(product), page=number)
    assert f"{review.shown} {review.folded}</p>" in article(page, review.id)


def test_opening_a_review_records_only_that_review_once(
    read: Get, world: World, product: Product, episode: Episode
) -> None:
    review = long_one(world, product)
    number = page_of(world, product, review)
    read(list_of(product), page=number)
    before = SiteEvent.objects.filter(episode=episode).exclude(kind="page_served").count()
    for _ in range(2):
        read(list_of(product), page=number, more=review.id)
    noted = SiteEvent.objects.filter(episode=episode).exclude(kind="page_served").order_by("seq")[before:]
    assert [(event.kind, event.data) for event in noted] == [
        ("shown", {"facts": [f"review {review.id} more"]})
    ]


def test_a_match_in_folded_text_does_not_show_the_text(read: Get, world: World, product: Product) -> None:
    review = long_one(world, product)
    page = read(list_of(product), q=review.folded)
    assert ids(page) == [review.id]
    assert review.folded not in page.partition("data-reviews")[2]


def test_a_reply_is_absent_until_it_is_opened(
    read: Get, world: World, product: Product, episode: Episode
) -> None:
    review = next(one for one in reviews(world, product.id) if one.reply)
    number = page_of(world, product, review)
    assert review.reply not in read(list_of(product), page=number)
    assert review.reply in read(list_of(product), page=number, reply=review.id)
    assert f"review {review.id} reply" in facts_of(episode)


def test_the_original_replaces_the_translation(read: Get, world: World) -> None:
    product, review = next(
        (product, one)
        for product in world.products
        for one in reviews(world, product.id)
        if one.original and len(one.original[1]) > 12
    )
    number = page_of(world, product, review)
    translated = read(list_of(product), page=number)
    assert review.body[0] in translated
    assert review.original[1] not in translated
    original = read(list_of(product), page=number, original=review.id)
    assert review.original[1] in original
    assert review.body[0] not in article(original, review.id)


def article(page: str, review_id: str) -> str:
    return page.partition(f'id="{review_id}"')[2].partition("</article>")[0]


def test_each_review_shows_its_facts(read: Get, world: World, product: Product) -> None:
    page = read(list_of(product))
    for review in reviews(world, product.id)[:10]:
        shown, outline = article(page, review.id), review.outline
        assert f'"reviewer">{outline.reviewer}</strong>' in shown
        assert f'datetime="{outline.day.isoformat()}"' in shown
        assert f'aria-label="{outline.stars} star' in shown
        assert f'review-colour">{outline.colour}<' in shown
        assert f'review-size">{outline.size}<' in shown
        assert ("Verified purchase" in shown) == outline.is_verified
        assert helpful_text(outline.helpful) in shown


def test_a_vote_counts_once_and_can_be_taken_back(
    read: Get, post: Callable[..., Any], world: World, product: Product, episode: Episode
) -> None:
    outline = reviews(world, product.id)[0].outline
    page = f"{list_of(product)}/{outline.id}/helpful"
    for _ in range(2):
        assert post(page, vote="helpful").status_code == 303
    assert helpful_text(outline.helpful + 1) in article(read(list_of(product)), outline.id)
    assert state_of(episode, world).voted == {outline.id}
    post(page, vote="withdraw")
    assert helpful_text(outline.helpful) in article(read(list_of(product)), outline.id)


def test_a_vote_leads_back_to_the_same_reviews(
    post: Callable[..., Any], world: World, product: Product
) -> None:
    review = reviews(world, product.id)[0].id
    answer = post(f"{list_of(product)}/{review}/helpful?sort=oldest&page=2&evil=1", vote="helpful")
    assert answer["Location"] == f"../../../../products/{product.id}/reviews?sort=oldest&page=2#{review}"


def test_the_questions_have_their_own_page(read: Get, world: World, product: Product) -> None:
    page = read(f"products/{product.id}/questions")
    for question in questions(world, product.id):
        assert question.text in page
        assert all(answer.text in page for answer in question.answers)


@pytest.mark.parametrize(
    ("back", "to"),
    [
        ("products/P-123/reviews?q=a+b&page=2", "../products/P-123/reviews?q=a+b&page=2"),
        ("//elsewhere.example", "../"),
        ("https://elsewhere.example", "../"),
        ("../other", "../"),
    ],
)
def test_closing_a_pop_up_leads_back_within_the_shop(post: Callable[..., Any], back: str, to: str) -> None:
    assert post("close/cookies", back=back)["Location"] == to


@pytest.mark.parametrize("page", ["", "products/{}", "products/{}/reviews", "products/{}/questions"])
def test_each_page_has_one_heading_of_the_first_rank(read: Get, product: Product, page: str) -> None:
    assert read(page.format(product.id)).count("<h1>") == 1


def test_opening_filtering_and_ending_a_list_are_recorded(
    read: Get, product: Product, episode: Episode
) -> None:
    all_ids(read, product, stars="5")
    kinds = set(SiteEvent.objects.filter(episode=episode).values_list("kind", flat=True))
    assert {"reviews_opened", "filtered", "end_reached", "shown"} <= kinds
    assert "recent_search" not in kinds


@pytest.mark.parametrize(
    "first_day",
    [date(2028, 2, 29), date(2027, 3, 28), date(2026, 12, 31), date(2027, 1, 1), date(2037, 3, 1)],
)
def test_the_filter_lists_the_month_of_every_review_on_any_day(first_day: date) -> None:
    shop = world_draw(KEY, edition="train", first_day=first_day)
    for product in shop.products:
        offered = list(choices(shop, product)["month"])
        assert offered == sorted(set(offered), reverse=True)
        assert {f"{one.day:%Y-%m}" for one in outlines(shop, product.id)} <= set(offered)
        assert offered[0] == f"{first_day - timedelta(days=1):%Y-%m}"
