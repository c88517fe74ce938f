"""What is ticked in a list that is renewed, or left and come back to, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e.test_following import finish, says
from tests.e2e.test_lab_pages import settled
from tests.e2e.wire import Wire
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]


@pytest.fixture
def episodes(transactional_db: None) -> list[Episode]:
    run, task = factories.run(), factories.task()
    return [factories.episode(run=run, task=task) for _ in range(3)]


def tick(page: Page, episode: Episode) -> None:
    page.get_by_label(f"Tick episode {episode.pk}", exact=True).check()


def test_an_episode_that_leaves_a_list_is_no_longer_counted(
    lab_page: LabPage, live: Wire, episodes: list[Episode]
) -> None:
    page = lab_page()
    page.goto(f"/runs/{episodes[0].run_id}/")
    says(page, "Live")
    for episode in episodes[:2]:
        tick(page, episode)
    said = page.locator("[data-ticked]")
    expect(said).to_have_text("2 ticked")
    episodes[0].delete()
    finish(episodes[2])
    expect(page.locator(".tick")).to_have_count(2)
    expect(said).to_have_text("1 ticked")


def test_whoever_comes_back_is_told_what_the_browser_ticked_again(
    lab_page: LabPage, episodes: list[Episode]
) -> None:
    page = lab_page()
    page.goto("/search")
    settled(page)
    for episode in episodes[:2]:
        tick(page, episode)
    hit = page.locator(f'[data-hit][href="/episodes/{episodes[2].pk}/"]')
    hit.click()
    page.wait_for_url(f"**/episodes/{episodes[2].pk}/")
    settled(page)
    page.go_back()
    page.wait_for_url("**/search")
    settled(page)
    expect(page.locator(".tick:checked")).to_have_count(2)
    expect(page.locator("[data-ticked]")).to_have_text("2 ticked")
    expect(hit).to_be_focused()
