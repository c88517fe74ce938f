"""Rows of what recording costs a page's main thread, on a question page and on a page of the booking site.

The same actions (a click, typing, a key, scrolling) are done on pages that are recorded by ``events`` and in
``full``. Counted is the time of V8's CPU profile (Profiler over DevTools, a sample every 500 microseconds:
one every 100 slows the page that it measures) in functions of the recorders' files and in all that they call,
from the page's first byte until everything has been sent. A profile does not see what is compressed for
sending, nor what is compiled: the chunks that were sent are compressed once more, timed alone, and compiling
is taken from the trace of the same page view.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

from gymsite.core.presentation import Look
from palaestra.browser import ARGUMENTS, browser_find
from tasks_app.worlds.keys import PUBLIC_WORLD
from tests.bench.installation import Installation
from tests.bench.rows_http import _open, _tasks
from tests.bench.site_episodes import pages_of, payload_make, tasks_insert
from tests.bench.table import Row

ROUNDS = 7
SAMPLE_US = 500
# A sample that took longer came when another process had the core.
PREEMPTED_US = 1_500
SENT_MS = 1_500
FILES = ("js/arena/recorder.js", "js/arena/recording.js", "vendor/rrweb/record.min.js")
TARGETS_MS = {"events": 10, "full": 40}
COMPILING = ["disabled-by-default-v8.compile"]
SETTLED = "html[data-settled=true]"
GZIP_MAGIC = b"\x1f\x8b"
PACK = """async (texts) => {
    const times = [];
    for (const text of texts) {
        const bytes = new TextEncoder().encode(text);
        const begun = performance.now();
        const { readable, writable } = new CompressionStream("gzip");
        const writer = writable.getWriter();
        void writer.write(bytes);
        void writer.close();
        await new Response(readable).arrayBuffer();
        times.push(performance.now() - begun);
    }
    return times.reduce((total, time) => total + time, 0);
}"""


@dataclass(frozen=True)
class Cost:
    """Milliseconds of the main thread, and bytes sent."""

    running: float
    compiling: float
    packing: float
    sent: int

    @property
    def total(self) -> float:
        return self.running + self.compiling + self.packing


def rows(place: Installation) -> Iterator[Row]:
    run = int(str(place.call("POST", "/runs", {"name": "recorder", "kind": "eval", "simulated": True})["id"]))
    payload = payload_make(place, site="stays", number=PUBLIC_WORLD + 1)
    pages = {
        "question": (_tasks(place)[0], "", Look().as_dict()),
        "stay": (tasks_insert(place, [payload])[0], pages_of(place, payload)[3], Look().as_dict("site")),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_find(), args=[*ARGUMENTS, "--no-sandbox"]
        )
        for name, (task, path, look) in pages.items():
            for recording, target in TARGETS_MS.items():
                opened = _open(place, run, [task], 1, recording=recording, presentation=look)
                address = str(opened[0]["start_url"])
                yield _row(f"{recording} on a {name} page", _costs(browser, address + path), target)
        browser.close()


def _row(name: str, costs: list[Cost], target: float) -> Row:
    """The first view of a browser compiles what later ones have from its cache; it is told apart."""
    first, *warm = costs
    typical = sorted(warm, key=lambda cost: cost.total)[len(warm) // 2]
    parts = (
        f"{typical.running:.1f} running, {typical.packing:.1f} compressing, {typical.compiling:.1f} compiling"
    )
    sent = median(cost.sent for cost in warm) / 1000
    return Row(
        f"recording {name}",
        typical.total,
        "ms",
        target,
        is_lower_better=True,
        note=f"median of {len(warm)}: {parts}; first view {first.total:.1f}; {sent:.0f} kB sent",
    )


def _costs(browser: Browser, address: str) -> list[Cost]:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    try:
        return [_cost(browser, page, address) for _ in range(ROUNDS + 1)]
    finally:
        page.context.close()


def _cost(browser: Browser, page: Page, address: str) -> Cost:
    page.goto("about:blank")
    bodies: list[tuple[str, bytes]] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append((request.url, request.post_data_buffer or b""))

    page.on("request", note)
    session = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.setSamplingInterval", {"interval": SAMPLE_US})
    browser.start_tracing(page=page, categories=COMPILING)
    session.send("Profiler.start")
    _drive(page, address)
    profile = session.send("Profiler.stop")["profile"]
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    session.detach()
    page.remove_listener("request", note)
    chunks = [body for url, body in bodies if url.endswith("/recording")]
    packed = [body for body in chunks if body.startswith(GZIP_MAGIC)]
    return Cost(
        running=_running_ms(profile),
        compiling=_compiling_ms(trace),
        packing=page.evaluate(PACK, [gzip.decompress(body).decode() for body in packed]) if packed else 0.0,
        sent=sum(len(body) for _, body in bodies),
    )


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


def _running_ms(profile: dict[str, Any]) -> float:
    """The time of the recorders' functions and of all that they call."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    ours: set[int] = set()
    waiting = [node["id"] for node in profile["nodes"] if node["callFrame"]["url"].endswith(FILES)]
    while waiting:
        node = waiting.pop()
        if node not in ours:
            ours.add(node)
            waiting += nodes[node].get("children", [])
    spent = zip(profile["samples"], profile["timeDeltas"], strict=True)
    return sum(min(max(delta, 0), PREEMPTED_US) for node, delta in spent if node in ours) / 1000


def _compiling_ms(trace: Iterable[dict[str, Any]]) -> float:
    """Compiling of the recorders' files outside of their functions' first calls."""
    found = 0.0
    for event in trace:
        data = event.get("args", {}).get("data", {})
        if event.get("name") == "v8.compile" and str(data.get("url", "")).endswith(FILES):
            found += event.get("dur", 0)
    return found / 1000
