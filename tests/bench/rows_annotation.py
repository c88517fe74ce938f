"""Rows of annotation: units and labels with many people at the same time, agreement, and key latency.

Key latency is the time from a key press until the changed frame has been drawn; its floor is a page with one
radio button.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench import store
from tests.bench.browser import PATIENCE_MS, browser_launch, lab_page, page_open
from tests.bench.installation import Installation
from tests.bench.table import Row

UNITS = 100_000
LABELLED = 10_000
PEOPLE = 20
UNITS_EACH = 30
# A person's pause between a unit and its label: far shorter than reading takes.
PAUSE_S = 1.0
LOADS = 10
KEYS = 60
POLL_MS = 20
# The form's answers, the same for every unit.
ANSWERS = ("1", "q", "a", "c")
BARE = """<!doctype html><title>One radio button</title><label><input type="radio" name="a"> 1</label><script>
addEventListener("keydown", () => { document.querySelector("input").checked = true; });</script>"""
# The event's time is the time at which the key reached the browser.
WATCH = """() => {
    window.painted = [];
    addEventListener("keydown", (event) => requestAnimationFrame(() => setTimeout(() => {
        window.painted.push(performance.now() - event.timeStamp);
    })), { capture: true });
}"""
# The time until the frame with another unit has been drawn.
WATCH_UNIT = """() => {
    window.shown = [];
    let pressed = 0;
    addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true });
    const slot = () => document.querySelector("#unit")?.dataset.slot;
    let before = slot();
    new MutationObserver(() => {
        if (slot() === before) return;
        before = slot();
        requestAnimationFrame(() => setTimeout(() => window.shown.push(performance.now() - pressed)));
    }).observe(document.querySelector(".queue"), { childList: true, subtree: true });
}"""


def rows(place: Installation) -> Iterator[Row]:
    store.store_make(place.database_url("owner"))
    made = place.module_run("annotation_fill", UNITS, PEOPLE, LABELLED)
    size = f"{made['units']:,} units"
    yield Row("project opened", made["opened_s"], "s", 30, is_lower_better=True, note=size)
    yield from _queue_rows(place, made, note=f"{size}, {PEOPLE} annotators at once")
    yield from _agreement_rows(place, made)
    yield from _key_rows(place, made)


def _queue_rows(place: Installation, made: dict[str, Any], *, note: str) -> Iterator[Row]:
    arguments = (place.lab, made["open"], UNITS_EACH, PAUSE_S, *made["sessions"])
    measured = place.module_run("annotation_load", *arguments)
    slots = measured["slots"]
    if len(set(slots)) < len(slots):
        raise RuntimeError(f"{len(slots) - len(set(slots))} of {len(slots)} units were handed out twice")
    note = f"{note}, {len(slots):,} units, none handed out twice"
    yield _row("next unit p95", measured["next_ms"], 200, note=note)
    yield _row("label stored p95", measured["saved_ms"], 200, note=note)


def _agreement_rows(place: Installation, made: dict[str, Any]) -> Iterator[Row]:
    path = f"/annotation/{made['done']}/agreement"
    measured = place.module_run("loads", place.lab, LOADS, 0, path)
    first, *others = measured["times"][path]
    note = f"{made['labels']:,} labels of two people; the first {first:,.0f} ms"
    yield Row("agreement page", median(others), "ms", 500, is_lower_better=True, note=note)


def _key_rows(place: Installation, made: dict[str, Any]) -> Iterator[Row]:
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        bare = _bare_times(browser)
        page = lab_page(browser, place.lab, made["sessions"][0])
        page_open(page, f"/annotation/{made['open']}/queue")
        page.evaluate(WATCH)
        for number in range(KEYS):
            page.keyboard.press(ANSWERS[number % len(ANSWERS)])
        answers = _times(page, "painted", KEYS)
        page.evaluate(WATCH_UNIT)
        for number in range(1, UNITS_EACH + 1):
            for key in (*ANSWERS, "Enter"):
                page.keyboard.press(key)
            _times(page, "shown", number)
        units = _times(page, "shown", UNITS_EACH)
        browser.close()
    floor = sorted(bare)[int(len(bare) * 0.95)]
    yield _row("key to painted p95", answers, 100, peer=floor, beside="a page with one radio button")
    yield _row("Enter to the next unit painted p95", units, 100, peer=floor, beside="the same")


def _bare_times(browser: Browser) -> list[float]:
    page = browser.new_page()
    page.set_content(BARE)
    page.evaluate(WATCH)
    for _ in range(KEYS):
        page.keyboard.press("1")
    return _times(page, "painted", KEYS)


def _times(page: Page, name: str, count: int) -> list[float]:
    # The lab's pages do not allow functions made from strings, which Playwright's own wait would need.
    for _ in range(PATIENCE_MS // POLL_MS):
        times = list(page.evaluate(f"window.{name}"))
        if len(times) >= count:
            return times
        page.wait_for_timeout(POLL_MS)
    raise RuntimeError(f"{len(times)} of {count} keys have painted")


def _row(name: str, times: list[float], target: float, *, note: str = "", **peer: Any) -> Row:
    ordered = sorted(times)
    middle = f"median {median(ordered):.0f} ms, worst {ordered[-1]:.0f} ms"
    at_95 = ordered[int(len(ordered) * 0.95)]
    words = "; ".join(filter(None, [middle, note]))
    return Row(name, at_95, "ms", target, is_lower_better=True, note=words, **peer)
