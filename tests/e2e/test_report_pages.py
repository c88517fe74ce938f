"""The pages of reports, training and transfer in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.reports.test_computation import correct_if, evaluation, tables_of
from tests.reports.training import scene
from trajectories.models import Report, Run

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LabPage = Callable[..., Page]
CHROME = "body > header, .report-contents, .report-files, .crumbs, .filters, form, button"


@pytest.fixture
def trained(transactional_db: None) -> Run:
    run = scene.trained_run()
    # Two versions: the least that has charts.
    scene.version_play(run, 2, [run.groups.get().task], lambda *_: "correct")
    return run


@pytest.fixture
def report(trained: Run) -> Report:
    made, _, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, sample: (item + sample) % 4 > 0),
            "gym": correct_if(lambda item, sample: (item + sample) % 2 > 0),
        },
        items=12,
        samples=2,
    )
    tables_of(made)
    return made


@pytest.fixture
def paths(report: Report, trained: Run) -> list[str]:
    return [f"/reports/{report.pk}/", f"/runs/{trained.pk}/training", "/transfer/"]


def opened(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector("html[data-settled=true]", state="attached")


def test_pages_are_readable_in_either_colour_and_on_a_phone(lab_page: LabPage, paths: list[str]) -> None:
    for width, colours in ((1280, "light"), (400, "dark")):
        page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        for path in paths:
            opened(page, path)
            page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
            assert axe.violations(page) == [], path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_charts_and_tables_need_no_scripts(lab_page: LabPage, paths: list[str]) -> None:
    page = lab_page(java_script_enabled=False)
    for path in paths:
        page.goto(path)
        expect(page.locator("svg.plot").first).to_be_visible()
        expect(page.get_by_role("table").first).to_be_visible()
    page.goto(paths[0])
    page.get_by_role("link", name="Show as table").first.click()
    expect(page.get_by_role("heading", level=1, name="Gaps with other items")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(4)


def test_a_point_of_a_chart_opens_its_episodes_by_mouse_and_by_key(
    lab_page: LabPage, paths: list[str]
) -> None:
    page = lab_page()
    points = ((paths[0], "Accuracy by arm", "Page: 50"), (paths[2], "before and after", "beyond text: 32.5"))
    for path, title, point in points:
        for is_key in (False, True):
            opened(page, path)
            chart = page.locator("svg.plot").filter(has=page.locator("title", has_text=title)).first
            dot = chart.locator("a").filter(has=page.locator("title", has_text=point))
            if is_key:
                dot.focus()
                page.keyboard.press("Enter")
            else:
                dot.click()
            expect(page).to_have_url(re.compile("/search"))
            expect(page.locator("#results a[href^='/episodes/']").first).to_be_visible()


def test_printed_pages_have_no_navigation_and_no_heading_over_nothing(
    lab_page: LabPage, paths: list[str]
) -> None:
    page = lab_page()
    page.emulate_media(media="print")
    for path in paths:
        opened(page, path)
        assert [one.inner_text() for one in page.locator(CHROME).all() if one.is_visible()] == [], path
        expect(page.locator(".printed")).to_contain_text(path)
        for section in page.locator("main section:visible").all():
            heading = section.locator("h2").bounding_box()
            box = section.bounding_box()
            assert heading is None or (box and box["height"] > heading["height"] + 10), section.inner_text()
