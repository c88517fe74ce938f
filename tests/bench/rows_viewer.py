"""Rows of the step viewer in a real browser: first paint of an episode's page, and going from step to step.

First paint is the browser's own word (``first-contentful-paint``, from the start of the navigation), with
nothing in its cache. A step is shown when the frame with it has been drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.browser import browser_launch
from tests.bench.installation import Installation
from tests.bench.table import Row

SHORT, LONG = 50, 10_000
LOADS = 15
SWITCHES = 60
SEED = 11
LOOKED_AT_MS = 500
VIEW = {"width": 1440, "height": 900}
SETTLED = "html[data-settled=true]"
# A busy machine paints a page after it has said that it is settled.
PAINT = """new Promise((resolve) => new PerformanceObserver((list) => {
    for (const one of list.getEntriesByName('first-contentful-paint')) resolve(one.startTime);
}).observe({ type: 'paint', buffered: true }))"""
DRAWN = """
    const shown = new Promise((then) => document.addEventListener("replay:shown", then, { once: true }));
    const begun = performance.now();
    act();
    await shown;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begun;"""
NEXT = f"""async () => {{
    const act = () => document.querySelector("[data-step-link=after]").click(); {DRAWN}
}}"""
GO = f"""async (index) => {{
    const form = document.querySelector("[data-go]");
    form.elements.index.value = index;
    const act = () => form.requestSubmit(); {DRAWN}
}}"""


def rows(place: Installation) -> Iterator[Row]:
    made = place.module_run("viewer", SHORT, LONG)
    short, long = made["episodes"]
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        pages = _paints(browser, place, made["cookie"], [f"/episodes/{one}/" for one in (short, long)])
        paints = dict(zip((short, long), pages.values(), strict=True))
        for episode, steps in ((short, SHORT), (long, LONG)):
            yield _row(f"first paint of an episode of {steps:,} steps", paints[episode], 1_000, is_p95=False)
        step = f"/episodes/{long}/steps/{LONG // 2}"
        (stepped,) = _paints(browser, place, made["cookie"], [step]).values()
        yield _row(f"first paint of a step of {LONG:,}", stepped, 1_000, is_p95=False)
        page = _page(browser, place, made["cookie"])
        _open(page, f"/episodes/{long}/steps/{LONG // 2}")
        yield _row(f"to the next step of {LONG:,}, p95", _switches(page, NEXT), 100)
        yield _row(f"to any step of {LONG:,}, p95", _switches(page, GO), 100)
        browser.close()


def _row(name: str, times: list[float], target: float, *, is_p95: bool = True) -> Row:
    ordered = sorted(times)
    value = ordered[int(len(ordered) * 0.95)] if is_p95 else median(ordered)
    note = f"{len(ordered)} times: median {median(ordered):.0f}, slowest {ordered[-1]:.0f} ms"
    return Row(name, value, "ms", target, is_lower_better=True, note=note)


def _page(browser: Browser, place: Installation, cookie: object) -> Page:
    context = browser.new_context(viewport=VIEW, base_url=place.lab)
    context.add_cookies([{"name": "palaestra_lab", "value": str(cookie), "url": place.lab}])
    return context.new_page()


def _open(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector(SETTLED, state="attached")


def _paints(
    browser: Browser, place: Installation, cookie: object, paths: list[str]
) -> dict[str, list[float]]:
    """Turn and turn about, each load by a browser that was never there; the first ones warm the server up."""
    times: dict[str, list[float]] = {path: [] for path in paths}
    for _ in range(LOADS + 1):
        for path in paths:
            page = _page(browser, place, cookie)
            _open(page, path)
            times[path].append(page.evaluate(PAINT))
            page.context.close()
    return {path: one[1:] for path, one in times.items()}


def _switches(page: Page, how: str) -> list[float]:
    """Like a reader: the neighbours are fetched before the next step is requested."""
    rng = random.Random(SEED)
    times = []
    for _ in range(SWITCHES):
        times.append(page.evaluate(how, rng.randint(1, LONG)))
        page.wait_for_timeout(LOOKED_AT_MS)
    return times
