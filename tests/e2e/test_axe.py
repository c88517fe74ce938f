from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.e2e.axe import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

PAGE = '<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>{}</main></html>'
IMAGE = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'
PALE = '<p style="color: #bbb; background: #fff">Hard to read</p>'


def test_serious_and_critical_faults_are_reported_of_every_page_of_a_window(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    for content, rules in (("", []), (IMAGE, ["image-alt"]), (PALE, ["color-contrast"])):
        page.set_content(PAGE.format(content))
        for _ in range(2):
            assert [one.partition(":")[0] for one in violations(page)] == rules
