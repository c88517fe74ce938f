from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.draws import Draws
from core.episodes.presentation import Look
from gymsite.oracle.patience import wait_settled
from gymsite.oracle.reviews import Solver, solve
from tasks_app.families.registry import FAMILIES
from tasks_app.families.reviews import count_mentions
from tasks_app.worlds.reviews.text import helpful_text, reviews
from tasks_app.worlds.reviews.world import world_change
from tests.coverage_choice import IS_WHOLE
from tests.e2e.conftest import ArenaServer
from tests.e2e.exemplary import prepared, verdict_of
from tests.reviews_shop import episode_of, smallest, task_of, world
from trajectories.models import SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LOADING = Look(paging="more")
OpenPage = Callable[..., Page]


@pytest.mark.slow
@pytest.mark.parametrize("has_replies", [False, True] if IS_WHOLE else [False])
def test_reading_every_review_finds_the_answer(
    arena_server: ArenaServer, open_page: OpenPage, has_replies: bool
) -> None:
    # Its product has less than half as many reviews as that of level 3, which are read one by one.
    task = task_of(level=2, has_replies=has_replies)
    episode, page = episode_of(task), open_page()
    page.goto(arena_server.address(episode))

    solver = Solver(page, world(), task)
    answer = solve(solver, is_searched=False)
    solver.submit(answer)

    assert answer == task.answer
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    shown = {fact for event in SiteEvent.objects.filter(kind="shown") for fact in event.data["facts"]}
    assert set(task.needs) <= shown


def test_the_site_search_gives_a_different_count(arena_server: ArenaServer, open_page: OpenPage) -> None:
    task = task_of(has_replies=False)
    page = open_page()
    page.goto(arena_server.address(episode_of(task)))
    solver = Solver(page, world(), task)
    solver.open_reviews(world().product(task.given["product"]))
    solver.narrow(task.given["term"])

    counts = re.findall(r"Your search matches (\d+) review", page.locator("main").inner_text())
    assert (*counts, task.answer[1]) == count_mentions.wrong(world(), task)
    assert counts[0] != task.answer[0]


def test_the_list_can_be_read_to_its_end_without_scripts(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
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

    counts = [page.get_by_role("article").count()]
    while page.get_by_role("link", name="Next page").count():
        page.get_by_role("link", name="Next page").click()
        page.wait_for_load_state()  # a count does not wait for what is still to be read
        counts.append(page.get_by_role("article").count())
    assert sum(counts) == product.review_count


def test_a_vote_is_counted_without_reloading_the_list(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode, page = episode_of(task_of(), look=LOADING), open_page()
    page.goto(arena_server.address(episode))
    Solver(page, world(), task_of(), LOADING).open_reviews(smallest())
    for _ in range(smallest().review_count // 10):
        page.get_by_role("link", name="Load more reviews").click()
        wait_settled(page)
    last = reviews(world(), smallest().id)[-1].outline
    review = page.locator(f"#{last.id}")

    review.get_by_role("button", name="Helpful").click()

    expect(review).to_contain_text(helpful_text(last.helpful + 1))
    expect(review.get_by_role("button", name="Undo my vote")).to_be_focused()
    assert page.get_by_role("article").count() == smallest().review_count


def test_the_answer_of_an_impossible_task_can_be_read_from_the_site(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    plugin = FAMILIES.get("mention_when")
    tasks = (plugin.draw(world(), Draws(b"twin", number), 4) for number in range(200))
    assert plugin.twin is not None
    twin = next(twin for task in tasks if task and (twin := plugin.twin(world(), task)))
    page = open_page()
    page.goto(arena_server.address(episode_of(twin)))
    wait_settled(page)

    assert solve(Solver(page, world_change(world(), twin.changes), twin)) == twin.answer


def test_an_answer_without_evidence_is_marked_as_submitted_before_evidence(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    task = task_of(has_replies=False)
    episode = prepared(episode_of(task), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    wait_settled(page)
    Solver(page, world(), task).submit(task.answer)

    verdict = verdict_of(episode)

    assert verdict.outcome == "correct"
    assert verdict.metrics["submitted_before_evidence"] == 1.0
    assert verdict.metrics["milestones_reached"] == 0.0
