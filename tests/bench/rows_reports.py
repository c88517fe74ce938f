"""Rows of a large report (computation, first paint, its rows) and of a long run's training."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from playwright.sync_api import sync_playwright

from tests.bench import long_run, processor, report_fill, training_fill
from tests.bench.browser import browser_launch, first_paints
from tests.bench.installation import Installation
from tests.bench.table import Row

LOADS = 8
POLL_S = 0.2
COMPUTED_S = 600.0
WORKER = ("gymsite.services.worker", "facts")


def rows(place: Installation) -> Iterator[Row]:
    report = report_fill.report_make(place)
    note = f"{report_fill.EPISODES:,} episodes, {len(report_fill.BENCHMARKS)} benchmarks, the ladder"
    seconds, grown_mb, steps = _computed(place, report)
    progress = f"{note}; {steps} values of its progress were seen"
    yield Row("report computed", seconds, "s", 60, is_lower_better=True, note=progress)
    yield Row("memory of its computation", grown_mb, "MB", 300, is_lower_better=True, note=note)
    measured = place.module_run("report_pages", place.lab, report)
    yield Row(
        "first byte of the report", median(measured["page"]), "ms", 500, is_lower_better=True, note=note
    )
    paints = _paints(place, f"/reports/{report}/", measured["cookie"])
    yield Row("first paint of the report", median(paints), "ms", 1_000, is_lower_better=True, note=note)
    for kind, (lines, taken) in measured["rows"].items():
        yield Row(f"rows exported as {kind}", lines / taken, "/s", 10_000, note=f"{lines:,} lines")
    yield from _training_rows(place)


def _training_rows(place: Installation) -> Iterator[Row]:
    run = training_fill.training_make(place)
    note = f"{long_run.EPISODES:,} ended episodes, {len(training_fill.EVALUATED)} evaluated checkpoints"
    path = f"/runs/{run}/training"
    page = place.module_run("loads", place.lab, LOADS, 0, path)["times"][path]
    yield Row("first byte of training", median(page), "ms", 1_000, is_lower_better=True, note=note)
    rest = median(_ms(place, f"/runs/{run}/training") for _ in range(LOADS))
    yield Row("training by REST", rest, "ms", 1_000, is_lower_better=True, note=note)


def _ms(place: Installation, path: str) -> float:
    begun = time.perf_counter()
    place.call("GET", path)
    return (time.perf_counter() - begun) * 1_000


def _computed(place: Installation, report: int) -> tuple[float, float, int]:
    """Return the seconds until the report is ready, its worker's growth, and the count of progress values."""
    workers = processor.pids_of(*WORKER, var_dir=place.var_dir)
    before = processor.memory_mb(processor.with_children(workers))
    most, values, begun = before, set(), time.perf_counter()
    place.call("POST", f"/reports/{report}/compute")
    while True:
        state = place.call("GET", f"/reports/{report}")
        most = max(most, processor.memory_mb(processor.with_children(workers)))
        values.add(state["progress"])
        if state["state"] == "ready":
            return time.perf_counter() - begun, most - before, len(values)
        if state["state"] == "failed" or time.perf_counter() - begun > COMPUTED_S:
            raise RuntimeError(f"the report was not computed: {state['state']} {state['problem']}")
        time.sleep(POLL_S)


def _paints(place: Installation, path: str, cookie: str) -> list[float]:
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        paints = first_paints(browser, place.lab, cookie, [path], loads=LOADS)
        browser.close()
    return paints[path]
