"""The wait of scripted visitors until a page is settled."""

from __future__ import annotations

from playwright.sync_api import Page


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")
