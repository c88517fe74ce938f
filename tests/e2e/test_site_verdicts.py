"""What a verdict tells of an episode that was solved in a browser, and of one that was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from gymsite.core.presentation import NEUTRAL, look_make
from tasks_app.benchmarks import _sites
from tasks_app.families import milestones
from tasks_app.families.registry import FAMILIES
from tasks_app.families.types import SiteTask
from tasks_app.models import Gold
from tests import factories
from tests import reviews_shop as shop
from tests.e2e import stays_solving, test_stays
from tests.e2e.conftest import ArenaServer
from tests.e2e.reviews_solving import Solver, settled, solve
from tests.e2e.stays_visiting import task_of
from trajectories.judging import services
from trajectories.models import Episode, Verdict

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


def prepared(episode: Episode, task: SiteTask) -> Episode:
    """With the gold and the tags of a loaded task, for its judge."""
    draft = _sites._gold(task)
    Gold.objects.filter(task=episode.task).update(answer=draft.answer, extra=draft.extra)
    judge = "site_state-v1"
    benchmark = factories.benchmark(
        id=FAMILIES.get(task.family).site, verifier_official=judge, verifier_training=judge
    )
    episode.task.benchmark, episode.task.tags = benchmark, [f"family:{task.family}"]
    episode.task.save()
    return episode


def verdict_of(episode: Episode) -> Verdict:
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def unreachable(task: SiteTask) -> list[str]:
    draft = _sites._gold(task)
    told = milestones.told_of(answer=draft.answer, extra=draft.extra)
    every = FAMILIES.get(task.family).milestones
    return [one.name for one in every if one.when(told.given) and not one.parts(told)]


def assert_exemplary(verdict: Verdict, task: SiteTask) -> None:
    """Right, with everything seen, closed and done on the pages."""
    metrics: dict[str, Any] = verdict.metrics
    marks = {name: value for name, value in metrics.items() if name.startswith(milestones.MARK)}
    missed = [name.removeprefix(milestones.MARK) for name, value in marks.items() if value < 1]
    assert (verdict.outcome, missed) == ("correct", unreachable(task))
    assert metrics["milestones_reached"] == (len(marks) - len(missed)) / len(marks)
    told = ("pop_up_open_at_submit", "submitted_before_evidence", "no_ui_evidence")
    assert [metrics[name] for name in told] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("has_replies", [False, True])
def test_who_counts_every_review_reaches_every_milestone(
    arena_server: ArenaServer, open_page: OpenPage, has_replies: bool
) -> None:
    task = shop.task_of(has_replies=has_replies)
    episode = prepared(shop.episode_of(task), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    solver = Solver(page, shop.world(), task)
    solver.submit(solve(solver))

    assert_exemplary(verdict_of(episode), task)


@pytest.mark.parametrize("module", test_stays.MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_who_solves_a_task_of_the_booking_site_reaches_every_milestone(
    arena_server: ArenaServer, open_page: OpenPage, module: Any
) -> None:
    task = task_of(module, level=2)
    look = look_make(seed=0, fixed={**NEUTRAL, "pop_ups": "often"}, page="site")
    episode = prepared(test_stays.episode_of(task, presentation=look.as_dict("site")), task)
    page = open_page()
    page.goto(arena_server.address(episode))
    stays_solving.solve(page, task, look)

    assert_exemplary(verdict_of(episode), task)


def test_an_answer_from_nowhere_is_told_by_what_was_never_seen(
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
