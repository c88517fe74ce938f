"""The text of a site in prompts has the same facts as its pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tasks_app.worlds import registry
from tasks_app.worlds.keys import changes_seal, world_key
from tests import factories
from tests.conftest import ArenaClient
from tests.worlds.test_text_reviews import PrintedReview
from tests.worlds.test_text_reviews import read as reviews_read
from tests.worlds.test_text_stays import House

pytestmark = pytest.mark.django_db

FIRST_DAY = date(2027, 3, 1)
NUMBER = 11
TEXT = "Look around."
HOUSES = 5

Get = Callable[..., str]


@pytest.fixture
def read(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[[str], Get]:
    """The bytes of a site's pages in the neutral look, entities resolved and in single spaces."""

    def opened(site: str) -> Get:
        key = world_key(salt=settings.WORLD_SALT, site=site, number=NUMBER)
        payload = {
            "site": site,
            "world": NUMBER,
            "edition": "train",
            "first_day": FIRST_DAY.isoformat(),
            "changes": changes_seal([], key=key, text=TEXT),
            "text": TEXT,
            "format": "plain",
            "fields": ["Number", "Name"],
        }
        task = factories.task(kind="site", payload=payload)
        start = datetime(2027, 3, 1, 9, tzinfo=UTC)
        episode = factories.episode(task=task, virtual_start=start, presentation={})

        def get(page: str, /, **query: Any) -> str:
            response = arena_client.get(f"{address(episode, page)}?{urlencode(query)}")
            assert response.status_code == 200
            return " ".join(unescape(response.content.decode()).split())

        return get

    return opened


def _world(site: str) -> Any:
    key = world_key(salt=settings.WORLD_SALT, site=site, number=NUMBER)
    return registry.worlds.get(site).open_world(key, edition="train", first_day=FIRST_DAY)


def _text(site: str, world: Any, scope: dict[str, Any]) -> str:
    return "\n\n".join(registry.worlds.get(site).text_view.render(world, scope))


def _plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_a_house_has_the_same_facts_in_the_text_and_on_its_page(read: Callable[[str], Get]) -> None:
    get, world = read("stays"), _world("stays")
    for listing in world.listings[:HOUSES]:
        scope = {"houses": [[listing.name, listing.neighbourhood]], "stays": [["2027-05-04", "2027-05-09"]]}
        parts = _text("stays", world, scope).split("\n## ")[1:]
        house = next(one for one in map(House, parts) if one.id == listing.id)
        for room in house.rooms:
            query = {"amenities": "all", "room": room.id, "month": "2027-05"}
            page = _plain(get(f"stays/{listing.id}", **query))
            assert [fact for fact in _facts(house.text, room.text) if fact not in page] == []
            assert room.prices
            assert all(f"{day.day} {cents / 100:.2f}" in page for day, cents in room.prices.items())


def _facts(*texts: str) -> list[str]:
    """Sentences, names of amenities, and the parts before and after a colon."""
    lines = [line.lstrip("- ") for text in texts for line in text.split("\n") if "2027: " not in line]
    labels = ("Property amenities, shared by all guests", "Fees and taxes", "House rules")
    labels = (*labels, "Room amenities", "Cancellation and changes")
    parts = [part for line in lines for part in re.split(r"[;,:.] |[.]$", line)]
    return [part for part in parts if part and part not in (*labels, "none")]


def test_a_review_has_the_same_facts_in_the_text_and_on_its_page(read: Callable[[str], Get]) -> None:
    get, world = read("reviews"), _world("reviews")
    product = min(world.products, key=lambda one: one.review_count)
    reviews = reviews_read(_text("reviews", world, {"products": [product.name]}))[product.name]
    assert len(reviews) == product.review_count
    for place, review in enumerate(reviews):
        page = get(f"products/{product.id}/reviews", page=place // 10 + 1)
        shown = page.split("<article")[1:][place % 10].partition("</article>")[0]
        assert [fact for fact in _facts_of(review, product.size_word) if fact not in _plain(shown)] == []
        assert f"{review.stars} star" in shown
        assert ("Verified purchase" in shown) is review.is_verified
        assert ("Translated from" in shown) is bool(review.original)
        assert ("seller response" in shown) is bool(review.reply)


def _facts_of(review: PrintedReview, size_word: str) -> list[str]:
    day = f"{review.day.day} {review.day:%B %Y}"
    first = " ".join(review.text.split()[:4])
    size = f"{size_word}: {review.size}"
    return [review.title, review.reviewer, day, f"Colour: {review.colour}", size, str(review.helpful), first]


def test_a_products_questions_are_the_same_in_the_text_and_on_their_page(read: Callable[[str], Get]) -> None:
    get, world = read("reviews"), _world("reviews")
    product = world.products[0]
    questions = (
        _text("reviews", world, {"products": [product.name]}).split("### Questions")[1].split("###")[0]
    )
    page = _plain(get(f"products/{product.id}/questions"))
    lines = [
        line.strip(" -").rpartition(" (")[0] or line.strip(" -") for line in questions.split("\n") if line
    ]
    assert len(lines) > 6
    assert [line for line in lines if line.rstrip(".") not in page] == []
