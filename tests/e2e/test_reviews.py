from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from gymsite.core.draws import Draws
from gymsite.core.presentation import look_make
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.reviews import count_mentions
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from tasks_app.worlds.reviews.text import reviews
from tasks_app.worlds.reviews.types import Product, World
from tasks_app.worlds.reviews.vocabulary import Edition
from tasks_app.worlds.reviews.world import world as world_draw
from tasks_app.worlds.reviews.world import world_change
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.reviews_solving import Solver, settled, solve
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="reviews", number=PUBLIC_WORLD)


def world(edition: Edition = "train") -> World:
    return world_draw(KEY, edition=edition, first_day=FIRST_DAY)


def smallest() -> Product:
    return min(world().products, key=lambda product: product.review_count)


def task_of(**rule: bool) -> SiteTask:
    """The first task of level 3 whose rule has these clauses, about a product with few reviews."""
    drawn = (count_mentions.draw(world(), Draws(b"e2e", number), 3) for number in range(500))
    return min(
        (task for task in drawn if task and rule.items() <= task.given["rule"].items()),
        key=lambda task: world().product(task.given["product"]).review_count,
    )


def episode_of(task: SiteTask, *, edition: Edition = "train", **fields: Any) -> Episode:
    payload = {
        "site": "reviews",
        "world": PUBLIC_WORLD,
        "edition": edition,
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal(task.changes, key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
    }
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start, **fields)


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

    found = solve(Solver(page, world(), task), is_searched=False)
    submit(page, found, task.fields)

    assert found == task.answer
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    shown = {fact for event in SiteEvent.objects.filter(kind="shown") for fact in event.data["facts"]}
    assert set(task.needs) <= shown


def test_the_sites_own_search_counts_something_else(arena_server: ArenaServer, open_page: OpenPage) -> None:
    task = task_of(has_replies=False)
    page = open_page()
    page.goto(arena_server.address(episode_of(task)))
    solver = Solver(page, world(), task)
    solver.open_reviews(world().product(task.given["product"]))
    solver.narrow()

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
    solver = Solver(page, world(), task_of())
    solver.open_reviews(smallest())
    solver.press_all("Load more reviews")
    last = reviews(world(), smallest().id)[-1].outline
    review = page.locator(f"#{last.id}")

    review.get_by_role("button", name="Helpful").click()

    expect(review).to_contain_text(f"{last.helpful + 1} found this helpful")
    expect(review.get_by_role("button", name="Take back my vote")).to_be_focused()
    assert page.get_by_role("article").count() == smallest().review_count


def test_the_notice_is_closed_by_keyboard_and_the_page_stays(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(task_of())))
    Solver(page, world(), task_of()).open_reviews(smallest())
    notice = page.get_by_role("region", name="Cookies")
    notice.get_by_role("button", name="All right").press("Enter")
    expect(notice).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Reviews of the {smallest().name}")


STEPS_TIMES, STEPS_MORE = 2.5, 3


def drawn_task(family: str, *, level: int) -> tuple[SiteTask, Edition]:
    discover()
    found = FAMILIES.get(family)
    edition: Edition = "train" if "train" in found.splits else "test"
    tasks = (found.draw(world(edition), Draws(b"e2e", family, level, number), level) for number in range(20))
    return next(task for task in tasks if task), edition


@pytest.mark.parametrize(
    ("family", "level"),
    [
        ("count_conditions", 3),
        ("count_conditions", 5),
        ("mean_rating", 1),
        ("mention_when", 1),
        ("most_helpful_mention", 5),
        ("most_of_five", 1),
    ],
)
def test_a_task_of_each_family_is_done_within_its_steps(
    arena_server: ArenaServer, open_page: OpenPage, family: str, level: int
) -> None:
    task, edition = drawn_task(family, level=level)
    look = look_make(seed=level + len(family), fixed={}).as_dict()
    episode, page = episode_of(task, edition=edition, presentation=look), open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    solver = Solver(page, world(edition), task)

    found = solve(solver)
    submit(page, found, task.fields)

    assert found == task.answer
    steps = solver.actions + len(task.fields) + 1
    assert steps <= math.ceil(STEPS_TIMES * task.oracle_steps) + STEPS_MORE


def test_an_impossible_task_shows_what_is_missed(arena_server: ArenaServer, open_page: OpenPage) -> None:
    plugin = FAMILIES.get("mention_when")
    tasks = (plugin.draw(world(), Draws(b"twin", number), 4) for number in range(200))
    assert plugin.twin is not None
    twin = next(twin for task in tasks if task and (twin := plugin.twin(world(), task)))
    page = open_page()
    page.goto(arena_server.address(episode_of(twin)))
    settled(page)

    assert solve(Solver(page, world_change(world(), twin.changes), twin)) == twin.answer
