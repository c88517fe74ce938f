"""Helper with which scripted visitors wait until a page has settled."""

from __future__ import annotations

from playwright.sync_api import Page


def wait_settled(page: Page) -> None:
    """Wait until the page has settled."""
    page.wait_for_selector("html[data-settled=true]", state="attached")
