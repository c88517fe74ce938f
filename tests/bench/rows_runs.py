"""Rows of a long run: what its progress, its groups and its pages cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from playwright.sync_api import sync_playwright

from tests.bench import long_run, processor
from tests.bench.browser import FLOOR, FLOOR_NAME, browser_launch, first_paints
from tests.bench.installation import Installation
from tests.bench.table import Row

REPEATS = 15
GROUPS_PER_PAGE = 100
CATCH_UP_PAGE = 1_000
LOADS = 8
# The pause until the page is read again; at most a fifth of the time is spent on reading it.
PAUSE_S = 3
LAB = ("gymsite.services.server", "lab")


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("long run", "train")
    long_run.run_fill(place.database_url("owner"), run)
    for version in range(long_run.POLICY_VERSIONS):
        values = {"entropy": 1 / (version + 1), "kl": 0.01 * version}
        place.call("POST", f"/runs/{run}/metrics", {"policy_version": version, "values": values})
    place.manage("rebuild_sums")
    note = f"{long_run.EPISODES:,} ended episodes"
    progress = [_ms(lambda: place.call("GET", f"/runs/{run}")) for _ in range(REPEATS)]
    yield Row("progress of a run", median(progress), "ms", 5, is_lower_better=True, note=note)
    group_page = [
        _ms(lambda: place.call("GET", f"/runs/{run}/groups?limit={GROUPS_PER_PAGE}")) for _ in range(REPEATS)
    ]
    yield Row("first 100 groups of a run", median(group_page), "ms", 50, is_lower_better=True, note=note)
    seconds, groups = _catch_up(place, run)
    yield Row("groups, catching up", groups / seconds, "/s", 5_000, note=f"{groups:,} groups, 1,000 a page")
    yield from _page_rows(place, f"/runs/{run}/", note)


def _page_rows(place: Installation, path: str, note: str) -> Iterator[Row]:
    """Yield a page's rows. The first reader waits longest, because what the page reads is then cached."""
    workers = processor.with_children(processor.pids_of(*LAB, var_dir=place.var_dir))
    before = processor.memory_mb(workers)
    measured = place.module_run("loads", place.lab, LOADS + 1, PAUSE_S, path)
    grown = processor.memory_mb(workers) - before
    cold, *later = measured["times"][path]
    note = f"{note}; arms, paired gap, heat map, curves, histograms, behaviour"
    yield Row("first look of a run's page", cold, "ms", 1_000, is_lower_better=True, note=note)
    again = f"{note}; each read again; slowest {max(later):.0f} ms"
    yield Row("the same, later", median(later), "ms", 100, is_lower_better=True, note=again)
    yield Row("memory of reading it", grown, "MB", 100, is_lower_better=True, note=note)
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        paints = first_paints(browser, place.lab, measured["cookie"], [path], loads=LOADS)
        browser.close()
    yield Row(
        "first paint of a run's page",
        median(paints[path]),
        "ms",
        1_000,
        is_lower_better=True,
        peer=median(paints[FLOOR]),
        beside=FLOOR_NAME,
        note=note,
    )


def _catch_up(place: Installation, run: int) -> tuple[float, int]:
    begun, after, groups = time.perf_counter(), 0, 0
    while True:
        page = place.call("GET", f"/runs/{run}/groups?limit={CATCH_UP_PAGE}&after={after}")
        if not page["results"]:
            return time.perf_counter() - begun, groups
        after, groups = page["next"], groups + len(page["results"])


def _ms(does: Callable[[], object]) -> float:
    begun = time.perf_counter()
    does()
    return (time.perf_counter() - begun) * 1_000
