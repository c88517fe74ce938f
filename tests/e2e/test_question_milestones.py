"""Milestones of questions, from what real pages report of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tasks_app import kinds
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_recorder import arrived, visit
from tests.rewards.test_components import acted, computed
from trajectories.models import Episode
from trajectories.rewards.types import Values

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


def chose_right(episode: Episode, outcome: str = "incorrect", **fields: Any) -> Values:
    factories.verdict(episode, outcome, **fields)
    return computed(episode)["milestone/chose_right"]


def opened(**fields: Any) -> Episode:
    """A question whose right choice, B of the task, is shown as C."""
    texts = {"A": "ten", "B": "two", "C": "six"}
    choices = [{"label": label, "text": text} for label, text in texts.items()]
    payload = {"text": "How many?", "format": "plain", "choices": choices}
    task = factories.task(kind=kinds.CHOICE, payload=payload, answer="B")
    return factories.episode(task=task, presentation={}, variation={"order": [0, 2, 1]}, **fields)


def test_the_choice_that_was_marked_last_reaches_the_milestone(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, page = opened(), open_page()
    visit(page, arena_server, episode)
    page.get_by_text("six").click()
    page.keyboard.press("ArrowDown")
    arrived(page, episode, "input", count=2)
    page.get_by_role("button").click()
    page.wait_for_url("**/done")
    arrived(page, episode, "load", count=2)
    episode.refresh_from_db()
    assert chose_right(episode, "correct") == Values(1.0)


def test_a_page_that_is_loaded_anew_takes_the_mark_away(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, page = opened(), open_page()
    visit(page, arena_server, episode)
    page.get_by_text("two").click()
    arrived(page, episode, "input")
    page.reload()
    arrived(page, episode, "load", count=2)
    assert chose_right(episode) == Values(0.0)


def test_whoever_marks_every_choice_has_chosen_the_last(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, page = opened(), open_page()
    visit(page, arena_server, episode)
    for text in ("ten", "two", "six"):
        page.get_by_text(text).click()
    arrived(page, episode, "input", count=3)
    assert chose_right(episode) == Values(0.0)


def test_views_of_a_table_are_in_the_addresses_that_steps_have(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    rows = [[f"Ship {number}", str(1800 + number)] for number in range(1, 61)]
    payload = {"text": "Which?", "format": "plain", "table": {"header": ["Ship", "Built"], "rows": rows}}
    task = factories.task(kind=kinds.TABLE, payload=payload, answer="Ship 60")
    episode = factories.episode(task=task, presentation={}, variation={"tools": ["find", "paging", "sort"]})
    page = open_page()
    visit(page, arena_server, episode)
    acted(episode, 1, url=page.url)
    page.get_by_role("link", name="Built").click()
    page.wait_for_selector("th[aria-sort=ascending]")
    acted(episode, 2, url=page.url)
    page.get_by_role("link", name="Built").click()
    page.wait_for_selector("th[aria-sort=descending]")
    acted(episode, 3, url=page.url)
    factories.verdict(episode, "incorrect")
    assert computed(episode)["milestone/located_right_row"] == Values(1.0, {2: 1.0})
