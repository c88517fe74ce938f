"""Selected episodes stay selected when a list refreshes or is left and reopened."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.e2e.test_updates import finish, says
from tests.e2e.wire import Wire
from trajectories.models import Episode
from trajectories.shell.queries import episodes as selectors

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]


@pytest.fixture
def episodes(transactional_db: None) -> list[Episode]:
    run, task = factories.run(), factories.task()
    return [factories.episode(run=run, task=task) for _ in range(3)]


def tick(page: Page, episode: Episode) -> None:
    page.get_by_label(f"Select episode {episode.pk}", exact=True).check()


def test_an_episode_that_leaves_a_list_stays_selected(
    lab_page: LabPage, live: Wire, episodes: list[Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, _ = episodes
    page = lab_page()
    page.goto(f"/runs/{first.run_id}/")
    says(page, "Live")
    tick(page, first)
    tick(page, second)
    count = page.locator("[data-selection]")
    expect(count).to_have_text("2 selected")
    monkeypatch.setattr(selectors, "EPISODES_PER_PAGE", 2)
    finish(factories.episode(run=first.run, task=first.task))
    expect(page.locator("tr .select-box")).to_have_count(2)
    expect(count).to_have_text("2 selected")
    left = page.get_by_role("group", name="Selected but no longer in the list")
    expect(left.get_by_role("checkbox")).to_have_count(2)
    left.get_by_label(str(first.pk), exact=True).uncheck()
    expect(count).to_have_text("1 selected")
    tick(page, episodes[2])
    page.get_by_role("button", name="Compare selected episodes").click()
    page.wait_for_url(f"**/compare?episodes={episodes[2].pk},{second.pk}")


def test_the_selection_is_announced_once_however_often_the_list_refreshes(
    lab_page: LabPage, live: Wire, episodes: list[Episode]
) -> None:
    page = lab_page()
    page.goto(f"/runs/{episodes[0].run_id}/")
    says(page, "Live")
    notice = page.locator("[data-selection]")
    page.keyboard.press("b")
    hint = "Select two to four episodes first"
    expect(notice).to_have_text(hint)
    notice.evaluate(
        "node => new MutationObserver(() => { window.changes = (window.changes ?? 0) + 1; })"
        ".observe(node, { childList: true, characterData: true, subtree: true })"
    )
    finish(episodes[0])
    expect(page.locator(f"#row-{episodes[0].pk}")).to_contain_text("correct")
    expect(notice).to_have_text(hint)
    assert page.evaluate("window.changes ?? 0") == 0
    tick(page, episodes[1])
    expect(notice).to_have_text("1 selected")
    changes = page.evaluate("window.changes")
    finish(episodes[1])
    expect(page.locator(f"#row-{episodes[1].pk}")).to_contain_text("correct")
    expect(notice).to_have_text("1 selected")
    assert page.evaluate("window.changes") == changes


def test_a_selection_restored_by_the_browser_is_counted(lab_page: LabPage, episodes: list[Episode]) -> None:
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
    expect(page.locator(".select-box:checked")).to_have_count(2)
    expect(page.locator("[data-selection]")).to_have_text("2 selected")
    expect(hit).to_be_focused()
