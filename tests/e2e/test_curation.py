"""The page of a run's samplers in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.rollouts.samplers_pages.scene import sampler_make

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LabPage = Callable[..., Page]


def test_the_page_is_readable_in_either_colour_on_a_phone_and_without_scripts(lab_page: LabPage) -> None:
    run = factories.run(kind="train")
    sampler_make(run, horizon={"kind": "multiplicative", "start": 4, "end": 12})
    path = f"/runs/{run.pk}/curation"
    for width, colours in ((1280, "light"), (400, "dark")):
        page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        page.goto(path)
        page.wait_for_selector("html[data-settled=true]", state="attached")
        assert axe.violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page = lab_page(java_script_enabled=False)
    page.goto(path)
    expect(page.locator("svg.plot")).to_have_count(4)
    page.get_by_role("link", name="Draw 2").click()
    expect(page.get_by_role("heading", name="Draw 2")).to_be_visible()
