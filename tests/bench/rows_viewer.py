"""Rows of the step viewer in a real browser: the first paint of an episode's page, and moving between steps.

The browser itself reports the first paint (``first-contentful-paint``, from the start of the navigation),
with an empty cache. A step counts as shown when the frame with it has been drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import median

from playwright.sync_api import Page, sync_playwright

from tests.bench.browser import FLOOR, FLOOR_NAME, browser_launch, first_paints, lab_page, page_open
from tests.bench.installation import Installation
from tests.bench.table import Row

SHORT, LONG = 50, 10_000
PAINTED = (f"an episode of {SHORT}", f"an episode of {LONG:,} steps", f"a step of {LONG:,}")
LOADS = 15
SWITCHES = 60
SEED = 11
LOOKED_AT_MS = 500
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
        step = f"/episodes/{long}/steps/{LONG // 2}"
        paths = [f"/episodes/{short}/", f"/episodes/{long}/", step]
        paints = first_paints(browser, place.lab, made["cookie"], paths, loads=LOADS)
        for path, name in zip(paths, PAINTED, strict=True):
            yield _row(f"first paint of {name}", paints[path], 1_000, floor=paints[FLOOR])
        page = lab_page(browser, place.lab, made["cookie"])
        page_open(page, step)
        yield _row(f"to the next step of {LONG:,}, p95", _switches(page, NEXT), 100)
        yield _row(f"to any step of {LONG:,}, p95", _switches(page, GO), 100)
        browser.close()


def _row(name: str, times: list[float], target: float, *, floor: list[float] | None = None) -> Row:
    """Return a row with the median, compared with a floor's, or with the p95 if there is no floor."""
    ordered = sorted(times)
    value = median(ordered) if floor else ordered[int(len(ordered) * 0.95)]
    note = f"{len(ordered)} times: median {median(ordered):.0f}, slowest {ordered[-1]:.0f} ms"
    peer = median(floor) if floor else None
    beside = FLOOR_NAME if floor else ""
    return Row(name, value, "ms", target, is_lower_better=True, peer=peer, beside=beside, note=note)


def _switches(page: Page, how: str) -> list[float]:
    """Move between steps like a reader: neighbouring steps are fetched before the next one is requested."""
    rng = random.Random(SEED)
    times = []
    for _ in range(SWITCHES):
        times.append(page.evaluate(how, rng.randint(1, LONG)))
        page.wait_for_timeout(LOOKED_AT_MS)
    return times
