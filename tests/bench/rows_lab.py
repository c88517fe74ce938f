"""Rows of the lab over a large store: search, filtered lists, and the computation of facts."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench import store
from tests.bench.installation import Installation
from tests.bench.table import Row

SUMMARISED_EPISODES = 200
RECORDED_PER_S = 2_000


def rows(place: Installation) -> Iterator[Row]:
    owner = place.database_url("owner")
    made = store.store_make(owner)
    store.events_make(
        owner, first_episode=made.first_episode, last_episode=made.first_episode + SUMMARISED_EPISODES - 1
    )
    run = made.runs[len(made.runs) // 2]
    measured = place.module_run("search", made.first_episode, SUMMARISED_EPISODES, run)
    times_ms, size = measured["times_ms"], f"of {made.steps:,} steps in {made.episodes:,} episodes"
    for name, key, target in (
        ("search in thoughts p95", "search", 500),
        ("counts of its matches p95", "counts", 500),
        ("filtered list p95", "list", 200),
        ("counts of the list p95", "list counts", 200),
    ):
        times = sorted(times_ms[key])
        slowest, query = measured["worst"][key]
        note = f"{size}; median {times[len(times) // 2]:.0f} ms; slowest {slowest:.0f} ms: {query.strip()}"
        at_95 = times[int(len(times) * 0.95)]
        yield Row(name, at_95, "ms", target, is_lower_better=True, note=note)
    yield from _page_rows(place, run)
    rate = measured["steps"] / measured["seconds"]
    yield Row("steps summarised", rate, "/s", RECORDED_PER_S, note="one process, two page events a step")


def _page_rows(place: Installation, run: int) -> Iterator[Row]:
    measured = place.module_run("search_page", place.lab, run)
    page, bare = (sorted(measured[name]) for name in ("page", "bare"))
    at_95 = int(len(page) * 0.95)
    yield Row(
        "first byte of /search p95",
        page[at_95],
        "ms",
        500,
        is_lower_better=True,
        peer=bare[at_95],
        beside="its statements alone",
        note=f"median {page[len(page) // 2]:.0f} ms beside {bare[len(bare) // 2]:.0f} ms",
    )
    for name, key, target, note in (
        ("matching episodes' ids exported", "ids", 500, "of a word in most thoughts"),
        ("matching episodes' measures exported", "facts", 1_000, "of one arm"),
    ):
        lines, seconds = measured[key]
        yield Row(name, lines / seconds, "/s", target, note=f"{lines:,.0f} lines, {note}")
