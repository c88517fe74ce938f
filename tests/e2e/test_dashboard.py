"""The dashboard of a run in a real browser, over a real socket that tests can cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.e2e.test_updates import finish, says
from tests.e2e.wire import Wire
from trajectories.models import Episode, Run

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def episodes(transactional_db: None) -> list[Episode]:
    """Episodes of two policy versions of one run."""
    run, task = factories.run(kind="train"), factories.task()
    return [factories.episode(run=run, task=task, policy_version=1 + place // 4) for place in range(8)]


@pytest.fixture
def page(lab_page: Callable[..., Page], live: Wire, episodes: list[Episode]) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/runs/{run_of(episodes).pk}/")
    says(page, "Live")
    return page


def run_of(episodes: list[Episode]) -> Run:
    return episodes[0].run


def shows(page: Page, name: str, value: str) -> None:
    part = page.locator("#dashboard dl > div", has=page.get_by_text(name, exact=True))
    expect(part.locator("dd").first).to_have_text(value)


def test_counts_and_plot_follow_the_run(page: Page, episodes: list[Episode]) -> None:
    shows(page, "Open", "8")
    finish(episodes[0])
    shows(page, "Judged", "1")
    shows(page, "Open", "7")
    expect(page.get_by_role("img", name="Mean reward by policy version")).to_be_visible()
    page.get_by_text("Show as table").first.click()
    finish(episodes[4], "incorrect")
    shows(page, "Judged", "2")
    expect(page.locator(".reward-table tbody tr")).to_have_count(2)
    expect(page.locator(".reward-table")).to_be_visible()
    expect(page.locator("#curve canvas")).to_be_visible()
    page.get_by_label("Smoothing").fill("0.5")
    expect(page.locator("#curve")).to_contain_text("Smoothed")


def test_all_tables_follow_the_run_and_selections_stay(page: Page, episodes: list[Episode]) -> None:
    row = page.get_by_role("row").filter(
        has=page.get_by_label(f"Select episode {episodes[0].pk}", exact=True)
    )
    expect(row).to_contain_text("open")
    tick = page.get_by_label(f"Select episode {episodes[3].pk}", exact=True)
    tick.check()
    arm = page.get_by_role("table", name="Outcomes by arm").get_by_role("row").last
    outcomes = arm.locator("[data-label=Episodes]")
    expect(outcomes).to_contain_text("8 open")
    finish(episodes[0], "incorrect")
    shows(page, "Open", "7")
    expect(outcomes).to_contain_text("7 open")
    expect(row).to_contain_text("incorrect")
    expect(page.get_by_role("region", name="End reasons")).to_contain_text("answer")
    factories.episode(run=run_of(episodes), task=episodes[0].task)
    shows(page, "Open", "8")
    expect(outcomes).to_contain_text("8 open")
    expect(tick).to_be_checked()
    expect(tick).to_be_focused()
    expect(page.locator(".select-box:checked")).to_have_count(1)
    expect(page.locator("[data-selection]")).to_have_text("1 selected")


def test_a_dashboard_without_its_socket_polls_until_it_reconnects(
    page: Page, live: Wire, episodes: list[Episode]
) -> None:
    live.cut()
    says(page, "Polling every 3 s")
    finish(episodes[0])
    shows(page, "Judged", "1")
    live.mend()
    says(page, "Live")


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (400, "dark")])
def test_a_dashboard_is_accessible_in_every_width(
    page: Page, episodes: list[Episode], width: int, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    for place, episode in enumerate(episodes[:6]):
        finish(episode, ("correct", "incorrect")[place % 2])
    shows(page, "Judged", "6")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(page) == []
