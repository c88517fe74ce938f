"""Rows of a long run: what its progress, its groups and its pages cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from tests.bench import long_run
from tests.bench.installation import Installation
from tests.bench.table import Row

REPEATS = 15
GROUPS_PER_PAGE = 100
CATCH_UP_PAGE = 1_000


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("long run", "train")
    long_run.run_fill(place.database_url("owner"), run)
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
    pages = place.module_run("run_pages", place.lab, run)
    yield Row("first look of a run's page", pages["first"], "ms", 100, is_lower_better=True, note=note)
    again = f"{note}; each read again"
    yield Row("the same, later", median(pages["later"]), "ms", 100, is_lower_better=True, note=again)
    yield Row("list of runs", median(pages["runs"]), "ms", 50, is_lower_better=True, note=note)


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
