"""The browser of the rows that drive one with Playwright's own calls."""

from __future__ import annotations

from playwright.sync_api import Browser, Playwright

from palaestra.browser import ARGUMENTS, browser_find


def browser_launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=browser_find(), args=[*ARGUMENTS, "--no-sandbox"])
