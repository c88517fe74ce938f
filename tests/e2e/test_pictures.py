from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from tasks_app.worlds.reviews.world import world as shop_draw
from tasks_app.worlds.stays.pictures import gallery
from tests import factories
from tests.e2e.axe import violations
from tests.e2e.conftest import ArenaServer
from tests.e2e.stays_town import FIRST_DAY, world
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
TEXT = "Look around."
# Pictures load lazily: one that has just come into view may still be on its way.
DRAWN = "(picture) => picture.decode().then(() => picture.naturalWidth > 0, () => false)"


def episode_of(site: str) -> Episode:
    key = world_key(salt=b"", site=site, number=PUBLIC_WORLD)
    payload = {
        "site": site,
        "world": PUBLIC_WORLD,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=key, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Number"],
    }
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start)


def opened(arena_server: ArenaServer, page: Page, site: str, path: str) -> Page:
    page.goto(arena_server.address(episode_of(site), path))
    expect(page.locator("html")).to_have_attribute("data-settled", "true")
    return page


def test_every_visible_card_shows_its_house(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = opened(arena_server, open_page(), "stays", "search")
    pictures = page.locator(".stays-card img")
    assert pictures.count() == 12
    assert all(pictures.nth(place).evaluate(DRAWN) for place in range(3))


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_every_picture_of_a_gallery_can_be_seen(
    arena_server: ArenaServer, open_page: OpenPage, has_scripts: bool
) -> None:
    listing = world().listings[3]
    count = len(gallery(world(), listing))
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode_of("stays"), f"stays/{listing.id}"))
    slides = page.get_by_role("list", name="Photos").get_by_role("img")
    expect(slides).to_have_count(count)
    for number in range(1, count + 1):
        page.get_by_role("link", name=f"Photo {number} of {count}").click()
        expect(slides.nth(number - 1)).to_be_in_viewport(ratio=0.9)
    expect(slides.first).not_to_be_in_viewport(ratio=0.5)


def test_buttons_lead_through_a_gallery_and_the_page_waits_for_each_picture(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    listing = world().listings[3]
    hung = gallery(world(), listing)
    page = opened(
        arena_server, open_page(viewport={"width": 1280, "height": 900}), "stays", f"stays/{listing.id}"
    )
    slides = page.get_by_role("list", name="Photos").get_by_role("img")
    status = page.get_by_role("status").filter(has_text="Photo")
    expect(status).to_have_text(f"Photo 1 of {len(hung)}")

    page.get_by_role("button", name="Next photo").click()
    expect(status).to_have_text(f"Photo 2 of {len(hung)}")
    expect(page.locator("html")).to_have_attribute("data-settled", "true")
    expect(slides.nth(1)).to_be_in_viewport(ratio=0.9)
    expect(slides.nth(1)).to_have_attribute("alt", hung[1].picture.words)
    assert slides.nth(1).evaluate(DRAWN)

    page.get_by_role("button", name="Previous photo").press("Enter")
    page.get_by_role("button", name="Previous photo").press("Enter")
    expect(status).to_have_text(f"Photo {len(hung)} of {len(hung)}")
    expect(slides.last).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("scrollX") == 0


def test_a_picture_is_fetched_once_per_episode(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    address = arena_server.address(episode_of("stays"), "search")
    pictures = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.webp'))"
    for _ in range(2):
        page.goto(address)
        expect(page.locator("html")).to_have_attribute("data-settled", "true")
    sizes = page.evaluate(f"{pictures}.map((one) => one.transferSize)")
    assert len(sizes) >= 3
    assert set(sizes) == {0}


def test_loading_pictures_does_not_shift_the_page(arena_server: ArenaServer, open_page: OpenPage) -> None:
    listing = world().listings[3]
    page, address = open_page(), arena_server.address(episode_of("stays"), f"stays/{listing.id}")
    page.goto(address)  # the first page of an episode is the only one with an open task bar
    page.route("**/*.webp", lambda route: route.abort())
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-settled", "true")
    without = page.get_by_role("heading", level=2).first.bounding_box()
    page.unroute("**/*.webp")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-settled", "true")
    assert page.get_by_role("heading", level=2).first.bounding_box() == without


def test_a_product_is_shown_in_each_of_its_colours(arena_server: ArenaServer, open_page: OpenPage) -> None:
    key = world_key(salt=b"", site="reviews", number=PUBLIC_WORLD)
    product = shop_draw(key, edition="train", first_day=FIRST_DAY).products[0]
    page = opened(arena_server, open_page(), "reviews", f"products/{product.id}")
    slides = page.get_by_role("list", name="Photos").get_by_role("listitem")
    expect(slides).to_have_text(list(product.colours[: slides.count()]))
    page.get_by_role("button", name="Next photo").click()
    expect(slides.nth(1)).to_be_in_viewport(ratio=0.5)
    assert slides.nth(1).get_by_role("img").evaluate(DRAWN)


@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_a_gallery_has_no_accessibility_faults(
    arena_server: ArenaServer, open_page: OpenPage, site: str
) -> None:
    page = opened(arena_server, open_page(), site, "")
    page.locator("a[href*='stays/L-'], a[href*='products/P-']").first.click()
    expect(page.locator("html")).to_have_attribute("data-settled", "true")
    expect(page.locator("[data-gallery]")).to_be_visible()
    assert violations(page) == []
