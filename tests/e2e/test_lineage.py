"""The tree of forks in a real browser: read by keyboard, without scripts, and on a phone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from trajectories.models import Episode, StepValue

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
THOUGHT = "I read the page and think about what it asks, one line after another. " * 6


def keep(page: Page, name: str) -> None:
    """Save a picture of the page for people to look at, if ``PALAESTRA_LOOKS`` names a folder."""
    if folder := os.environ.get("PALAESTRA_LOOKS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def played(episode: Episode, steps: range, outcome: str, **verdict: Any) -> Episode:
    for index in steps:
        factories.step(
            episode,
            index,
            thought=f"{index}: {THOUGHT}",
            action={"type": "click", "target": "e1"},
            action_type="click",
            action_result="ok",
            observation_kind="axtree-v2",
            observation_text=f'page "{index} of {episode.pk}"\n[e1] button "Go on"',
            url=f"https://gym/{index}",
            duration_ms=840.0,
        )
    StepValue.objects.create(episode=episode, step=steps.start - 1, value=0.25 * len(steps), visits=4)
    factories.verdict(episode, outcome, **verdict)
    return episode


def fork(parent: Episode, after: int, outcome: str, **fields: Any) -> Episode:
    group = factories.group(run=parent.run, task=parent.task)
    episode = factories.episode(group=group, parent=parent, begins_after=after, **fields)
    return played(episode, range(after + 1, after + 4), outcome)


@pytest.fixture
def leaf(transactional_db: None) -> Episode:
    """The deepest episode of a tree of six."""
    root = played(factories.episode(), range(1, 6), "incorrect")
    first = fork(root, 2, "incorrect")
    fork(root, 2, "void")
    fork(root, 4, "correct", guidance={"kind": "hint"})
    fork(first, 3, "incorrect")
    return fork(first, 4, "correct")


@pytest.mark.parametrize(("width", "colours"), [(1400, "light"), (390, "dark")])
def test_the_tree_leads_to_relatives_and_to_where_they_part(
    lab_page: Callable[..., Page], leaf: Episode, width: int, colours: Any
) -> None:
    page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    page.goto(f"/episodes/{leaf.pk}/")
    tree = page.get_by_role("list", name="Tree of forks, parents first")
    tree.scroll_into_view_if_needed()
    keep(page, f"lineage-episode-{width}-{colours}")
    expect(tree.get_by_role("listitem")).to_have_count(6)
    expect(tree.locator("[aria-current=page]")).to_have_text(f"Episode {leaf.pk}")
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tree.get_by_role("link", name=f"Compare with episode {leaf.parent_id}").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 episodes side by side")
    expect(page.locator("#first-divergence")).to_be_in_viewport()
    expect(page.locator("#first-divergence")).to_contain_text("Fork")
    keep(page, f"lineage-compare-{width}-{colours}")
    assert axe.violations(page) == []
    page.goto(f"/episodes/{leaf.pk}/steps/5")
    summary = page.locator(".lineage-menu > summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(tree.get_by_role("listitem")).to_have_count(6)
    keep(page, f"lineage-step-{width}-{colours}")
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(f"/runs/{leaf.run_id}/")
    heading = page.get_by_role("heading", name="Excluded from rates")
    heading.scroll_into_view_if_needed()
    keep(page, f"lineage-run-{width}-{colours}")
    page.get_by_role("link", name="Forked episodes").click()
    expect(page.locator("[data-hit]")).to_have_count(4)
    keep(page, f"lineage-search-{width}-{colours}")


def test_the_tree_is_read_without_scripts(lab_page: Callable[..., Page], leaf: Episode) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto(f"/episodes/{leaf.pk}/steps/5")
    page.locator(".lineage-menu > summary").click()
    page.get_by_role("link", name=f"Episode {leaf.parent_id}", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Episode {leaf.parent_id}")
