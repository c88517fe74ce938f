from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from core.episodes.presentation import AXES, Look
from gymsite.arena.sites.labels import load_labels
from gymsite.oracle.patience import wait_settled
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.text import reviews
from tests import coverage_choice
from tests.e2e.conftest import ArenaServer
from tests.reviews_shop import episode_of, smallest, task_of, world

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


def count(page: Page) -> int:
    return page.locator(".review").count()


@pytest.mark.parametrize(("form", "listing"), coverage_choice.values(AXES["form"], AXES["listing"]))
def test_without_scripts_a_visitor_filters_sorts_searches_opens_and_turns_pages(
    arena_server: ArenaServer, open_page: OpenPage, form: str, listing: str
) -> None:
    page = open_page(java_script_enabled=False)
    look = Look(form=form, listing=listing, paging="scroll", pop_ups="early", slow="long", panels="two")
    page.goto(arena_server.address(episode_of(task_of(), look=look)))
    say, main, of = load_labels("reviews", "plain"), page.locator("#main"), smallest()

    page.get_by_role("dialog", name="We use cookies").get_by_role("button", name="Accept cookies").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("complementary")).to_have_count(2)
    follow(page, main.get_by_role("link", name=of.name, exact=True).first)
    follow(page, main.get_by_role("link", name=f"Read {of.review_count} reviews"))

    narrow(page, form, stars="5 stars", sort="Oldest first")
    expected = [one for one in reviews(world(), of.id)[::-1] if one.outline.stars == 5]
    assert page.locator(".review").first.locator("time").get_attribute("datetime") == str(
        expected[0].outline.day
    )
    if form == "dialog":
        page.go_back()
    else:
        follow(page, page.get_by_role("link", name=say["clear"]))

    word = next(one for one in reviews(world(), of.id) if one.folded).folded.split()[-1].strip(".,!?")
    narrow(page, form, search=word)
    expect(main).to_contain_text("Your search matches")
    page.goto(page.url.partition("?")[0])

    folded = main.get_by_role("link", name=say["more"], exact=True)
    many = folded.count()
    folded.first.click()
    expect(folded).to_have_count(many - 1)
    main.get_by_role("link", name=say["next"], exact=True).click()
    expect(page).to_have_url(re.compile("page=2"))
    main.get_by_role("link", name=say["previous"], exact=True).click()


def follow(page: Page, target: Locator) -> None:
    """Click what opens a page and wait for that page: a pop-up counted on the one before is not there yet."""
    with page.expect_navigation():
        target.click()


def narrow(page: Page, form: str, *, search: str = "", **chosen: str) -> None:
    """Narrow the list by its form, with every pop-up over it closed first."""
    say = load_labels("reviews", "plain")
    while page.locator("[data-pop-up]").count():
        follow(page, page.locator("[data-pop-up]").get_by_role("button"))
    if form == "dialog":
        page.get_by_role("button", name=say["filters"], exact=True).click()
    for name, text in chosen.items():
        page.get_by_role("combobox", name=say[name], exact=True).select_option(label=text)
    page.get_by_role("searchbox", name=say["search"], exact=True).fill(search)
    page.get_by_role("button", name=say["show"], exact=True).click()


def test_originals_and_questions_can_be_read_without_scripts(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=False)
    address = arena_server.address(episode_of(task_of()))
    of = max(world().products, key=lambda product: product.review_count)
    translated = next(one for one in reviews(world(), of.id) if one.original)
    number = list(reviews(world(), of.id)).index(translated) // 10 + 1
    page.goto(f"{address}products/{of.id}/reviews?page={number}")
    review = page.locator(f"#{translated.id}")
    review.get_by_role("link", name="Show original").click()
    expect(review.locator(".review-title")).to_have_text(translated.original[0])
    review.get_by_role("link", name="Show translation").click()
    expect(review.locator(".review-title")).to_have_text(translated.title)

    page.goto(f"{address}products/{of.id}")
    page.get_by_role("link", name=f"See {len(questions(world(), of.id))} questions").click()
    expect(page.locator("#main")).to_contain_text(questions(world(), of.id)[0].text)


@pytest.mark.parametrize("listing", AXES["listing"])
def test_scrolling_loads_the_whole_list_and_announces_it(
    arena_server: ArenaServer, open_page: OpenPage, listing: str
) -> None:
    page = open_page()
    look = Look(paging="scroll", listing=listing)
    page.goto(arena_server.address(episode_of(task_of(), look=look)) + f"products/{smallest().id}/reviews")
    wait_settled(page)
    many = [count(page)]
    expect(page.get_by_text(f"Showing {many[0]}, more below")).to_be_visible()
    while many[-1] < smallest().review_count:
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.wait_for_function("many => document.querySelectorAll('.review').length > many", arg=many[-1])
        wait_settled(page)
        many.append(count(page))
    assert all(later - earlier <= 10 for earlier, later in pairwise(many))
    expect(page.get_by_role("status")).to_contain_text("Reviews loaded: ")
    expect(page.get_by_text("You have reached the end of the list.")).to_be_visible()
    expect(page.get_by_text("Showing")).to_have_count(0)


def test_the_focus_stays_on_the_button_that_loads_more(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    address = arena_server.address(episode_of(task_of(), look=Look(paging="more")))
    page.goto(f"{address}products/{smallest().id}/reviews")
    button = page.get_by_role("link", name="Load more reviews")
    button.press("Enter")
    expect(page.locator(".review")).to_have_count(20)
    expect(button).to_be_focused()


def test_a_wall_takes_and_holds_the_focus_until_escape_closes_it(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    """Every pop-up on the way is closed by keyboard alone."""
    page, met = open_page(), set()
    address = arena_server.address(episode_of(task_of(), look=Look(pop_ups="often")))
    for number in range(1, 6):
        for sort in ("newest", "oldest", "worst"):
            page.goto(f"{address}products/{smallest().id}/reviews?page={number}&sort={sort}")
            wait_settled(page)
            layer = page.locator("[data-pop-up]")
            if not layer.count():
                continue
            name = layer.get_attribute("data-pop-up")
            met.add(name)
            if name == "sign_up":
                expect(layer.get_by_role("button")).to_be_focused()
                assert page.evaluate("document.querySelector('.shop').inert")
            page.keyboard.press("Escape")
            expect(layer).to_have_count(0)
            wait_settled(page)
            assert not page.evaluate("document.querySelector('.shop').inert")
            if name == "sign_up":
                expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert met == {"cookies", "newsletter", "sign_up", "prices", "session"}


# A slow machine may look for the places only when the sections are there.
PLACES_WATCHED = """(() => {
    window.mostPlaces = 0;
    window.isSettledEarly = false;
    new MutationObserver(() => {
        const places = document.querySelectorAll(".slow-place").length;
        window.mostPlaces = Math.max(window.mostPlaces, places);
        window.isSettledEarly ||= places > 0 && document.documentElement.dataset.settled === "true";
    }).observe(document, { subtree: true, childList: true, attributes: true });
})()"""


@pytest.mark.parametrize("look", [Look(slow="short", panels="two"), Look(slow="long", panels="two")])
def test_a_page_is_settled_once_its_late_sections_are_shown(
    arena_server: ArenaServer, open_page: OpenPage, look: Look
) -> None:
    page = open_page()
    page.add_init_script(PLACES_WATCHED)
    page.goto(arena_server.address(episode_of(task_of(), look=look)))
    wait_settled(page)
    assert page.evaluate("[mostPlaces, isSettledEarly]") == [2, False]
    assert page.locator(".slow-place").count() == 0
    expect(page.get_by_role("complementary")).to_have_count(2)
