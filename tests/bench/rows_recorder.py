"""Rows of recording's cost for a page's main thread, on a question page and a page of the booking site.

The same actions (a click, typing, a key, scrolling) are done on pages recorded with ``events``, with
``full``, and not at all. The measured value is the processor time of the page's main thread, from the page's
first byte until everything has been sent, according to Chromium's trace of that thread. It includes running
the recorders' files, every call into them (with everything that it calls, compiles and collects), and the
time that the page's microtasks (continuations after awaited answers, compression) take beyond the time
without recording. A sampling profiler is not used, because a sample every 500 microseconds slows down what it
measures by half, and because it also counts time in which another process has the core.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

from tasks_app.worlds.keys import PUBLIC_WORLD
from tests.bench.browser import browser_launch
from tests.bench.installation import Installation
from tests.bench.site_episodes import pages_of, payload_make, tasks_insert
from tests.bench.table import Row

ROUNDS = 7
SENT_MS = 1_500
FILES = ("js/arena/recorder.js", "js/arena/recording.js", "vendor/rrweb/record.min.js")
TARGETS_MS = {"events": 10, "full": 40}
CATEGORIES = ["devtools.timeline", "v8.execute"]
CALLS = {"FunctionCall", "EvaluateScript", "v8.compile"}
MICROTASKS = "RunMicrotasks"
SETTLED = "html[data-settled=true]"


@dataclass(frozen=True)
class Cost:
    """The main thread's milliseconds in the recorders' files and in other microtasks, and the bytes sent."""

    calls: float
    microtasks: float
    sent: int


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("recorder")
    payload = payload_make(place, site="stays", number=PUBLIC_WORLD + 1)
    pages = {
        "question": (place.question_ids()[0], ""),
        "stay": (tasks_insert(place, [payload])[0], pages_of(place, payload)[3]),
    }
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        for name, (task, path) in pages.items():
            costs = {}
            for recording in ("off", *TARGETS_MS):
                (episode,) = place.episodes_open(run, [task], recording=recording)
                costs[recording] = _costs(browser, episode["start_url"] + path)
            for recording, target in TARGETS_MS.items():
                yield _row(f"{recording} on a {name} page", costs[recording], costs["off"], target)
        browser.close()


def _row(name: str, costs: list[Cost], without: list[Cost], target: float) -> Row:
    """Return a row of warm views. The first view compiles what later ones find cached; it is in the note."""
    first, *warm = costs
    own_microtasks = median(cost.microtasks for cost in without[1:])
    totals = [cost.calls + max(0.0, cost.microtasks - own_microtasks) for cost in (first, *warm)]
    calls = median(cost.calls for cost in warm)
    sent = median(cost.sent for cost in warm) / 1000
    return Row(
        f"recording {name}",
        median(totals[1:]),
        "ms",
        target,
        is_lower_better=True,
        note=f"median of {len(warm)}, {min(totals[1:]):.1f} to {max(totals[1:]):.1f}; "
        f"{calls:.1f} in calls; first view {totals[0]:.1f}; {sent:.0f} kB sent",
    )


def _costs(browser: Browser, address: str) -> list[Cost]:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    try:
        return [_cost(browser, page, address) for _ in range(ROUNDS + 1)]
    finally:
        page.context.close()


def _cost(browser: Browser, page: Page, address: str) -> Cost:
    page.goto("about:blank")
    sent: list[int] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            sent.append(len(request.post_data_buffer or b""))

    page.on("request", note)
    browser.start_tracing(page=page, categories=CATEGORIES)
    _drive(page, address)
    calls, microtasks = _times_ms(json.loads(browser.stop_tracing())["traceEvents"])
    page.remove_listener("request", note)
    return Cost(calls=calls, microtasks=microtasks, sent=sum(sent))


def _drive(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(SETTLED, state="attached")
    page.get_by_role("heading").first.click()
    field = page.get_by_role("textbox").first
    field.click()
    page.keyboard.type("The total is 42.50")
    page.keyboard.press("Tab")
    page.mouse.move(640, 500, steps=5)
    for _ in range(4):
        page.mouse.wheel(0, 300)
        page.wait_for_timeout(100)
    page.wait_for_timeout(SENT_MS)


def _times_ms(trace: Iterable[dict[str, Any]]) -> tuple[float, float]:
    """Return the processor time of the recorders' calls, and of microtasks around other calls."""
    calls, microtasks = 0.0, 0.0
    for thread in _threads(trace):
        within: list[dict[str, Any]] = []
        for event in thread:
            while within and event["ts"] >= within[-1]["ts"] + within[-1]["dur"]:
                within.pop()
            spent = event["tdur"] / 1000
            if _is_ours(event) and not any(map(_is_ours, within)):
                calls += spent
                microtasks -= spent if any(map(_is_microtask, within)) else 0.0
            elif _is_microtask(event) and not any(
                _is_ours(outer) or _is_microtask(outer) for outer in within
            ):
                microtasks += spent
            within.append(event)
    return calls, microtasks


def _threads(trace: Iterable[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Yield each thread's spans, outer spans before the spans within them."""
    threads: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in trace:
        if event.get("ph") == "X" and "tdur" in event and "dur" in event:
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for spans in threads.values():
        yield sorted(spans, key=lambda span: (span["ts"], -span["dur"]))


def _is_ours(event: dict[str, Any]) -> bool:
    data = event.get("args", {}).get("data")
    address = str(data.get("url", "")) if isinstance(data, dict) else ""
    return event["name"] in CALLS and address.endswith(FILES)


def _is_microtask(event: dict[str, Any]) -> bool:
    return bool(event["name"] == MICROTASKS)
