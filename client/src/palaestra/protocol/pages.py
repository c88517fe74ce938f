"""Episode pages: the headers of their requests, and the browsers that can open them."""

from __future__ import annotations

STEP_HEADER = "X-Gym-Step"
"""The header with the number of the step that a request belongs to."""
AS_OF_HEADER = "X-Gym-As-Of"
"""The header with the number of the site event as of which a page is served while a fork is restored."""
BROWSER_SETTING = "PALAESTRA_BROWSER"
"""The environment variable that names the browser's executable."""
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Names of browser executables, the preferred ones first."""
