"""A link to this machine's Chromium where Playwright 1.44 looks for its own, for BrowserGym's chat window."""

from __future__ import annotations

import tempfile
from pathlib import Path

from palaestra.pages.browser import browser_find

PLACE = Path("chromium-1117/chrome-linux/chrome")


def chromium_link() -> str:
    """Link Chromium into a folder, and return the folder for ``PLAYWRIGHT_BROWSERS_PATH``."""
    home = Path(tempfile.mkdtemp(prefix="browsers-"))
    (home / PLACE).parent.mkdir(parents=True)
    (home / PLACE).symlink_to(browser_find() or "no Chromium")
    return str(home)
