from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from gymsite.core.draws import Draws
from tasks_app.families.reviews import count_mentions
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.text import reviews
from tasks_app.worlds.reviews.types import Product, World
from tasks_app.worlds.reviews.world import world as world_draw
from tests import factories
from tests.e2e.conftest import ArenaServer
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="reviews", number=PUBLIC_WORLD)


def world() -> World:
    return world_draw(KEY, edition="train", first_day=FIRST_DAY)


def smallest() -> Product:
    return min(world().products, key=lambda product: product.review_count)


def task_of(**rule: bool) -> SiteTask:
    """The first task of level 3 whose rule has these clauses, about a product with few reviews."""
    drawn = (count_mentions.draw(world(), Draws(b"e2e", number), 3) for number in range(500))
    return min(
        (task for task in drawn if task and rule.items() <= task.given["rule"].items()),
        key=lambda task: world().product(task.given["product"]).review_count,
    )


def episode_of(task: SiteTask, **fields: Any) -> Episode:
    payload = {
        "site": "reviews",
        "world": PUBLIC_WORLD,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
    }
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start, **fields)


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def press(page: Page, found: Locator) -> None:
    found.click()
    settled(page)


def open_reviews(page: Page, product: Product) -> None:
    press(page, page.get_by_role("link", name=product.name, exact=True))
    press(page, page.get_by_role("link", name=f"Read {product.review_count} reviews"))


def press_all(page: Page, name: str) -> None:
    """Every link of that name, until there is none."""
    links = page.get_by_role("link", name=name, exact=True)
    while links.count():
        press(page, links.first)


def solve_count_mentions(page: Page, task: SiteTask) -> tuple[str, str]:
    """Reads every review to its end, without the site's search, and counts by the rule."""
    open_reviews(page, world().product(task.given["product"]))
    press_all(page, "Load more reviews")
    press_all(page, "Read more")
    if task.given["rule"]["has_replies"]:
        press_all(page, "Show the seller's reply")
    read = page.get_by_role("article").evaluate_all(
        """all => all.map(one => ({
            who: one.querySelector("strong").textContent,
            day: one.querySelector("time").dateTime,
            title: one.querySelector("h2").textContent,
            text: one.querySelector(".review-text").textContent,
            reply: one.querySelector(".reply p:last-child")?.textContent ?? "",
            is_translated: one.textContent.includes("Translated from"),
        }))"""
    )
    mentioning = [one for one in read if _is_counted(one, task)]
    last = max if task.given["end"] == "newest" else min
    return str(len(mentioning)), last(mentioning, key=lambda one: one["day"])["who"]


def _is_counted(read: dict[str, Any], task: SiteTask) -> bool:
    rule, product = task.given["rule"], world().product(task.given["product"])
    if read["is_translated"] and not rule["has_translations"]:
        return False
    terms = vocabulary.of("train").categories[product.category].terms
    term = next(term for term in terms if term.word == task.given["term"])
    forms = (term.word,) if rule["is_one_form"] else term.all_forms
    flags = 0 if rule["is_small_letters"] else re.IGNORECASE
    told = [read["text"], read["title"] if rule["has_titles"] else "", read["reply"]]
    return any(re.search(rf"\b(?:{'|'.join(forms)})\b", text, flags) for text in told)


def submit(page: Page, values: tuple[str, ...], fields: tuple[str, ...]) -> None:
    bar = page.get_by_role("region", name="Task")
    for label, value in zip(fields, values, strict=True):
        bar.get_by_label(label, exact=True).fill(value)
    bar.get_by_role("button").click()
    expect(page.get_by_role("heading", name="Answer recorded")).to_be_visible()


@pytest.mark.parametrize("has_replies", [False, True])
def test_reading_every_review_finds_the_answer(
    arena_server: ArenaServer, open_page: OpenPage, has_replies: bool
) -> None:
    task = task_of(has_replies=has_replies)
    episode, page = episode_of(task), open_page()
    page.goto(arena_server.address(episode))

    found = solve_count_mentions(page, task)
    submit(page, found, task.fields)

    assert found == task.answer
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    shown = {fact for event in SiteEvent.objects.filter(kind="shown") for fact in event.data["facts"]}
    assert set(task.needs) <= shown


def test_the_sites_own_search_counts_something_else(arena_server: ArenaServer, open_page: OpenPage) -> None:
    task = task_of(has_replies=False)
    page = open_page()
    page.goto(arena_server.address(episode_of(task)))
    open_reviews(page, world().product(task.given["product"]))
    page.get_by_label("Search in reviews").fill(task.given["term"])
    press(page, page.get_by_role("button", name="Show reviews"))

    found = re.findall(r"The search finds (\d+) review", page.locator("main").inner_text())
    assert (*found, task.answer[1]) == count_mentions.wrong(world(), task)
    assert found[0] != task.answer[0]


def test_the_list_is_read_to_its_end_without_scripts(arena_server: ArenaServer, open_page: OpenPage) -> None:
    product, page = smallest(), open_page(java_script_enabled=False)
    page.goto(arena_server.address(episode_of(task_of())))
    page.get_by_role("link", name=product.name, exact=True).click()
    page.get_by_role("link", name=f"Read {product.review_count} reviews").click()
    more = page.get_by_role("link", name="Read more").first
    review = more.locator("xpath=ancestor::article")
    before = review.locator(".review-text").inner_text()
    name = review.get_attribute("id")
    more.click()
    assert len(page.locator(f"#{name} .review-text").inner_text()) > len(before)

    found = [page.get_by_role("article").count()]
    while page.get_by_role("link", name="Next page").count():
        page.get_by_role("link", name="Next page").click()
        found.append(page.get_by_role("article").count())
    assert sum(found) == product.review_count


def test_a_vote_is_counted_where_it_is_given(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode, page = episode_of(task_of()), open_page()
    page.goto(arena_server.address(episode))
    open_reviews(page, smallest())
    press_all(page, "Load more reviews")
    last = reviews(world(), smallest().id)[-1].outline
    review = page.locator(f"#{last.id}")

    press(page, review.get_by_role("button", name="Helpful"))

    expect(review).to_contain_text(f"{last.helpful + 1} found this helpful")
    expect(review.get_by_role("button", name="Take back my vote")).to_be_focused()
    assert page.get_by_role("article").count() == smallest().review_count


def test_the_notice_is_closed_by_keyboard_and_the_page_stays(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(task_of())))
    open_reviews(page, smallest())
    notice = page.get_by_role("region", name="Cookies")
    notice.get_by_role("button", name="All right").press("Enter")
    expect(notice).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Reviews of the {smallest().name}")
