"""Rows of the lab's lists in all their orders: episodes, tasks, runs, and a comparison of some runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from playwright.sync_api import sync_playwright

from tests.bench import lists_fill, processor, store
from tests.bench.browser import FLOOR, FLOOR_NAME, browser_launch, first_paints
from tests.bench.installation import Installation
from tests.bench.table import Row

LISTS = {"episodes": store.EPISODES, "tasks": lists_fill.TASKS, "runs": lists_fill.RUNS}
LAB = ("gymsite.services.server", "lab")
TARGET_MS = 200
PAINTED_MS = 1_000
BARE = "the same rows by one bare statement"
# How many of a list's URLs are also painted, chosen evenly from all of them.
PAINTED = 5
COMPARED = 7
LOADS = 9


def rows(place: Installation) -> Iterator[Row]:
    store.store_make(place.database_url("owner"))
    yield from _list_rows(place, "episodes")
    runs = lists_fill.lists_make(place)
    for name in ("tasks", "runs"):
        yield from _list_rows(place, name)
    yield from _comparison_rows(place, runs[:COMPARED])


def _list_rows(place: Installation, name: str) -> Iterator[Row]:
    workers = processor.with_children(processor.pids_of(*LAB, var_dir=place.var_dir))
    before = processor.spent_s(workers)
    measured = place.module_run("grid_pages", place.lab, name)
    spent_ms = (processor.spent_s(workers) - before) * 1_000 / len(measured["requests"])
    pages = sorted(((ms, address) for address, ms, _ in measured["requests"]), key=lambda one: one[0])
    bare = [ms for *_, ms in measured["requests"]]
    slowest, address = pages[-1]
    title = f"list of {LISTS[name]:,} {name}"
    yield Row(
        f"{title}, first byte p95",
        _at_95([ms for ms, _ in pages]),
        "ms",
        TARGET_MS,
        is_lower_better=True,
        peer=_at_95(bare),
        beside=BARE,
        note=f"{len(pages)} pages: median {median(ms for ms, _ in pages):.0f} ms beside "
        f"{median(bare):.0f} ms; {spent_ms:.0f} ms of the lab's processor time each; "
        f"slowest {slowest:.0f} ms: {address}",
    )
    chosen = [address for address, *_ in measured["requests"]]
    yield _painted(place, f"{title}, first paint p95", chosen[:: len(chosen) // PAINTED], measured["cookie"])


def _comparison_rows(place: Installation, runs: Sequence[int]) -> Iterator[Row]:
    path = f"/runs/compare?runs={','.join(map(str, runs))}"
    measured = place.module_run("loads", place.lab, LOADS, 0, path)
    times = measured["times"][path]
    yield Row(
        f"{len(runs)} runs compared, first byte p95",
        _at_95(times),
        "ms",
        TARGET_MS,
        is_lower_better=True,
        note=f"{len(times)} times: median {median(times):.0f} ms",
    )
    yield _painted(place, f"{len(runs)} runs compared, first paint p95", [path], measured["cookie"])


def _painted(place: Installation, name: str, addresses: Sequence[str], cookie: str) -> Row:
    with sync_playwright() as playwright:
        browser = browser_launch(playwright)
        by_address = first_paints(browser, place.lab, cookie, addresses, loads=LOADS)
        browser.close()
    floor = by_address.pop(FLOOR)
    times = [ms for one in by_address.values() for ms in one]
    return Row(
        name,
        _at_95(times),
        "ms",
        PAINTED_MS,
        is_lower_better=True,
        peer=_at_95(floor),
        beside=FLOOR_NAME,
        note=f"{len(times)} times: median {median(times):.0f} ms beside {median(floor):.0f} ms",
    )


def _at_95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]
