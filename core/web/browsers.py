"""The search for a Chromium browser on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from palaestra.protocol.pages import BROWSER_SETTING, BROWSERS

# The folder that `playwright install` fills. If it holds several versions, the newest sorts last.
PLAYWRIGHT = Path.home() / ".cache" / "ms-playwright"
PLAYWRIGHT_PROGRAMS = (
    "chromium_headless_shell-*/chrome-*/headless_shell",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
    "chromium-*/chrome-*/chrome",
)


def browser_find() -> Path | None:
    """Return the browser that the setting names, or else the first one found on this machine."""
    for name in (os.environ.get(BROWSER_SETTING, ""), *BROWSERS):
        if name and (path := shutil.which(name)):
            return Path(path)
    paths = [path for pattern in PLAYWRIGHT_PROGRAMS for path in sorted(PLAYWRIGHT.glob(pattern))[-1:]]
    return next(iter(paths), None)
