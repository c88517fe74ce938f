"""Pages of episodes: the headers of their requests, and the browsers that may open them."""

from __future__ import annotations

STEP_HEADER = "X-Gym-Step"
"""Number of the step that a request belongs to."""
AS_OF_HEADER = "X-Gym-As-Of"
"""Number of the site event as of which a page is served while a fork is restored."""
BROWSER_SETTING = "PALAESTRA_BROWSER"
"""Environment variable that names the browser's program."""
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Names of the program, the preferred ones first."""
