"""Scripted visitors' wait until a page is settled."""

from __future__ import annotations

from playwright.sync_api import Page


def wait_settled(page: Page) -> None:
    """Wait until the page is settled."""
    page.wait_for_selector("html[data-settled=true]", state="attached")
