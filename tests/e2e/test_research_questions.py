"""The questions of docs/research_questions.md, each answered within two clicks of the list of runs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tasks_app.models import Task
from tests import factories
from tests.e2e.test_lab_pages import settled
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Episode, Run

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

ITEMS = 12


def played(run: Run, task: Task, *, arm: str, answer: str) -> Episode:
    """Reads, and narrates on the page what it reasons through as text; then answers."""
    episode = factories.episode(group=factories.group(run=run, task=task, arm=arm))
    if arm == "gym":
        factories.step(episode, 1, thought="I will click Send.", action_type="click")
    action = {"type": "type", "target": "e3", "text": answer}
    factories.step(episode, 2, thought="12 * 8 = 96.", action=action, action_type="type")
    factories.submission(episode, answer)
    factories.verdict(episode, "correct" if answer == "96" else "incorrect")
    facts_compute([episode.pk])
    return episode


@pytest.fixture
def run(transactional_db: None) -> Run:
    """All items are right as text, and two on the page."""
    made, tasks = factories.run(name="small model"), [factories.task(answer="96") for _ in range(ITEMS)]
    for place, task in enumerate(tasks):
        played(made, task, arm="text_zero_shot", answer="96")
        played(made, task, arm="gym", answer="96" if place < 2 else "7")
    return made


@pytest.fixture
def page(lab_page: Callable[..., Page], run: Run) -> Page:
    opened = lab_page(viewport={"width": 1440, "height": 900})
    opened.goto("/")
    settled(opened)
    return opened


def test_where_is_the_gap(page: Page) -> None:
    page.get_by_role("link", name="small model").click()
    lead = page.get_by_role("region", name="Result")
    expect(lead).to_contain_text(f"modality gap on {ITEMS} shared items")
    expect(lead.get_by_text("points").first).to_be_in_viewport()


def test_why_did_it_fail(page: Page) -> None:
    page.get_by_role("link", name="small model").click()
    page.get_by_role("link", name="right as Text, zero-shot, wrong as Page: compare").first.click()
    expect(page).to_have_url(re.compile("#first-divergence$"))
    expect(page.get_by_text("Gives its answer", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("list", name="Episodes compared")).to_contain_text("7")


def test_does_it_reason_or_narrate(page: Page, run: Run) -> None:
    page.get_by_role("link", name=str(2 * ITEMS), exact=True).click()
    newest = Episode.objects.filter(run=run).latest("pk")
    page.get_by_role("link", name=str(newest.pk), exact=True).click()
    ribbon = page.get_by_role("region", name="What the thoughts do")
    expect(ribbon.get_by_role("link", name="Step 1: 1 announces")).to_be_in_viewport()
    expect(ribbon.get_by_role("link", name="Step 2: 1 calculates")).to_be_in_viewport()
