"""The run page warns, with numbers, when a policy version causes voids."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Run

pytestmark = pytest.mark.django_db


def ended(run: Run, *, version: int, void: int, judged: int) -> None:
    task = factories.task()
    for place in range(void + judged):
        episode = factories.episode(run=run, task=task, policy_version=version)
        outcome, reason = ("void", "harness_error") if place < void else ("correct", "answer")
        factories.verdict(episode, outcome, reason)


def words(lab: Lab, owner: User, run: Run) -> str:
    return " ".join(lab(owner).get(f"/runs/{run.pk}/").text.split())


def test_a_version_that_causes_voids_is_named_with_its_numbers(lab: Lab, owner: User) -> None:
    run = factories.run()
    ended(run, version=1, void=0, judged=40)
    ended(run, version=2, void=10, judged=10)
    page = words(lab, owner, run)
    assert "Unusually many void episodes" in page
    assert "Policy version 2 had 10 void of 20, 50.0%" in page
    assert "all others 0%" in page


def test_a_run_without_voids_says_nothing_of_them(lab: Lab, owner: User) -> None:
    run = factories.run()
    ended(run, version=1, void=0, judged=5)
    page = words(lab, owner, run)
    assert "Unusually many" not in page
    assert "Void episodes" not in page


def test_voids_that_are_usual_are_counted_without_a_warning(lab: Lab, owner: User) -> None:
    run = factories.run()
    ended(run, version=1, void=1, judged=9)
    page = words(lab, owner, run)
    assert "Unusually many" not in page
    assert "Void episodes" in page
    assert "Harness error" in page


def test_cancelled_episodes_are_counted_where_nothing_else_is_void(lab: Lab, owner: User) -> None:
    run = factories.run()
    ended(run, version=1, void=0, judged=3)
    factories.verdict(factories.episode(run=run, policy_version=1), "void", "cancelled")
    page = words(lab, owner, run)
    assert "Unusually many" not in page
    row = re.sub(r"<[^>]+>", " ", page[page.index('id="voids"') :])
    assert "Cancelled 1 4 25.0%" in " ".join(row.split())
