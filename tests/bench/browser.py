"""The browser for rows that drive one with Playwright's own calls."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Browser, Page, Playwright

from palaestra.pages.browser import ARGUMENTS, browser_find

VIEW = {"width": 1440, "height": 900}
# A long limit, because the machine may be busy.
PATIENCE_MS = 120_000
# A page of the lab that is almost empty.
FLOOR, FLOOR_NAME = "/login/", "the log-in page"
SETTLED = "html[data-settled=true]"
# A busy machine paints a page after it has said that it is settled.
PAINT = """new Promise((resolve) => new PerformanceObserver((list) => {
    for (const one of list.getEntriesByName('first-contentful-paint')) resolve(one.startTime);
}).observe({ type: 'paint', buffered: true }))"""


def browser_launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=browser_find(), args=[*ARGUMENTS, "--no-sandbox"])


def lab_page(browser: Browser, lab: str, cookie: str) -> Page:
    """Open a page in a new context, logged in if there is a cookie."""
    context = browser.new_context(viewport=VIEW, base_url=lab)
    context.set_default_timeout(PATIENCE_MS)
    if cookie:
        context.add_cookies([{"name": "palaestra_lab", "value": cookie, "url": lab}])
    return context.new_page()


def page_open(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector(SETTLED, state="attached")


def first_paints(
    browser: Browser, lab: str, cookie: str, paths: Sequence[str], *, loads: int
) -> dict[str, list[float]]:
    """Measure the milliseconds to the first contentful paint that the browser reports, with an empty cache.

    The pages take turns with ``FLOOR``, which is opened without a login. The first load of each page is left
    out, because it warms up the server.
    """
    times: dict[str, list[float]] = {path: [] for path in (*paths, FLOOR)}
    for _ in range(loads + 1):
        for path in times:
            page = lab_page(browser, lab, "" if path == FLOOR else cookie)
            page_open(page, path)
            times[path].append(float(page.evaluate(PAINT)))
            page.context.close()
    return {path: one[1:] for path, one in times.items()}
