"""Verdicts of episodes solved in a browser, and of one answered without evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from core.presentation import NEUTRAL, look_make
from tasks_app.families.stays import latest_free_cancellation
from tests import reviews_shop as shop
from tests.coverage_choice import IS_WHOLE
from tests.e2e import stays_solution, test_stays
from tests.e2e.conftest import ArenaServer
from tests.e2e.exemplary import assert_exemplary, prepared, verdict_of
from tests.e2e.reviews_solution import Solver, settled, solve
from tests.e2e.stays_visits import task_of

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


@pytest.mark.slow
@pytest.mark.parametrize("has_replies", [False, True] if IS_WHOLE else [True])
def test_counting_every_review_reaches_every_milestone(
    arena_server: ArenaServer, open_page: OpenPage, has_replies: bool
) -> None:
    task = shop.task_of(has_replies=has_replies)
    episode = prepared(shop.episode_of(task), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    solver = Solver(page, shop.world(), task)
    solver.submit(solve(solver))

    assert_exemplary(verdict_of(episode), task)


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", test_stays.MODULES if IS_WHOLE else [latest_free_cancellation], ids=test_stays.name_of
)
def test_solving_a_booking_task_between_pop_ups_reaches_every_milestone(
    arena_server: ArenaServer, open_page: OpenPage, module: Any
) -> None:
    task = task_of(module, level=2)
    look = look_make(seed=0, fixed={**NEUTRAL, "pop_ups": "often"}, page="site")
    episode = prepared(test_stays.episode_of(task, presentation=look.as_dict("site")), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    stays_solution.solve(page, task, look)

    assert_exemplary(verdict_of(episode), task)


def test_an_answer_without_evidence_is_marked_as_submitted_before_evidence(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    task = shop.task_of(has_replies=False)
    episode = prepared(shop.episode_of(task), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    Solver(page, shop.world(), task).submit(task.answer)

    verdict = verdict_of(episode)

    assert verdict.outcome == "correct"
    assert verdict.metrics["submitted_before_evidence"] == 1.0
    assert verdict.metrics["milestones_reached"] == 0.0
