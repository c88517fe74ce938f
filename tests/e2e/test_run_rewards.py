"""The page of what a run's episodes are paid, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.judges.run_rewards.scene import LOOSE, SHAPED, paid_run, stored

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LabPage = Callable[..., Page]


def test_the_page_is_readable_in_either_colour_on_a_phone_and_without_scripts(lab_page: LabPage) -> None:
    shaped, loose = stored(SHAPED), stored(LOOSE)
    run = paid_run(versions=6, samples=8, settings={"reward_profile": shaped})
    path = f"/runs/{run.pk}/rewards/"
    for width, colours in ((1280, "light"), (390, "dark")):
        page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        page.goto(f"{path}?beside={loose}")
        page.wait_for_selector("html[data-settled=true]", state="attached")
        assert axe.violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page = lab_page(java_script_enabled=False)
    page.goto(path)
    expect(page.locator("svg.plot")).to_have_count(4)
    page.get_by_label("Compare with").select_option(loose)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name=f"{loose} for the same episodes")).to_be_visible()
    page.get_by_role("table", name="gain most").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Episode")
