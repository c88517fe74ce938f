"""Rows of rewards in parts: history paid by a second profile, and the group stream including payments.

``REWARDS_EPISODES`` is the number of episodes, a multiple of eight; the default is 100,000.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from tests.bench.installation import Installation
from tests.bench.long_run import GROUP_SIZE
from tests.bench.rewards_fill import STEPS
from tests.bench.rows_http import episodes_through
from tests.bench.table import Row, middle

EPISODES = int(os.environ.get("REWARDS_EPISODES", "100000"))
TURNS = 3
GROUPS_PER_PAGE = 1_000
BATCH = 8
BATCHES = 4
# Plain groups cost one statement and nothing per episode; payments are some 200 bytes of JSON per step.
CATCHING_UP = 0.2
PROFILE = {
    "name": "bench-shaped",
    "shape": "per_step",
    "terms": [
        {"component": "outcome"},
        {"component": "syntax", "weight": 0.1},
        {"component": "executed", "weight": 0.1},
        {"component": "length", "weight": 0.05, "positive": -1, "high": 4000},
    ],
}


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("rewards", "train")
    stored = place.module_run("rewards_fill", place.database_url("owner"), run, EPISODES)
    if stored != EPISODES:
        raise RuntimeError(f"{stored} of {EPISODES} episodes have components")
    place.manage("rebuild_sums", "--run", str(run))
    profile = place.call("POST", "/rewards/profiles", PROFILE)["reference"]
    yield from _history(place, run, profile)
    yield _stream(place, run, profile)
    yield _training(place, profile)


def _history(place: Installation, run: int, profile: str) -> Iterator[Row]:
    measured = place.module_run("rewards_pay", run, profile)
    if measured["paid"] != EPISODES or not measured["totals"]:
        raise RuntimeError(f"paid {measured} of {EPISODES} episodes")
    seconds, note = measured["seconds"], f"{measured['paid']:,} episodes of {STEPS} steps"
    yield Row(
        "episodes paid by a second profile",
        measured["paid"] / seconds,
        "/s",
        1_000,
        note=f"{note} in {seconds:.1f} s",
    )
    yield Row(
        "peak memory of paying them",
        measured["peak_mb"],
        "MB",
        300,
        is_lower_better=True,
        note=f"{note}; the process had {measured['before_mb']:.0f} MB before",
    )


def _stream(place: Installation, run: int, profile: str) -> Row:
    pairs = []
    for turn in range(TURNS + 1):
        pair = _groups_per_s(place, run, ""), _groups_per_s(place, run, f"&profile={profile}")
        if turn:  # the very first turn is slow
            pairs.append(pair)
    plain, paid = middle(pairs)
    return Row(
        "groups with what is paid, catching up",
        paid,
        "/s",
        0,
        peer=plain,
        beside="without",
        ratio_target=CATCHING_UP,
        note=f"{GROUPS_PER_PAGE:,} a page; median of {TURNS} turns",
    )


def _training(place: Installation, profile: str) -> Row:
    """Measure a trainer's loop, which plays groups and reads them as soon as they are complete.

    At that time, none of their components is stored yet.
    """
    run, tasks = place.run_create("rewards, played", "train"), place.question_ids()
    pairs = []
    for turn in range(3 * TURNS + 1):
        pair = _played_per_s(place, run, tasks, ""), _played_per_s(place, run, tasks, f"&profile={profile}")
        if turn:
            pairs.append(pair)
    plain, paid = middle(pairs)
    return Row(
        "episodes played, their groups read with what is paid",
        paid,
        "/s",
        0,
        peer=plain,
        beside="without",
        ratio_target=0.9,
        note=f"{BATCH} groups of {GROUP_SIZE} at a time; median of {3 * TURNS} turns",
    )


def _played_per_s(place: Installation, run: int, tasks: list[int], query: str) -> float:
    after = place.call("GET", f"/runs/{run}")["verdicts"]
    begun, played, read = time.perf_counter(), 0, 0
    for _ in range(BATCHES):
        played += episodes_through(place, run, tasks, BATCH, GROUP_SIZE)
        page = place.call("GET", f"/runs/{run}/groups?limit={GROUPS_PER_PAGE}&after={after}{query}")
        after, read = page["next"], read + len(page["results"])
    if read != BATCH * BATCHES:
        raise RuntimeError(f"{read} groups of {BATCH * BATCHES} were in the stream")
    return played / (time.perf_counter() - begun)


def _groups_per_s(place: Installation, run: int, query: str) -> float:
    begun, after, groups = time.perf_counter(), 0, 0
    while True:
        page = place.call("GET", f"/runs/{run}/groups?limit={GROUPS_PER_PAGE}&after={after}{query}")
        if not page["results"]:
            break
        after, groups = page["next"], groups + len(page["results"])
    seconds = time.perf_counter() - begun
    if groups != EPISODES // GROUP_SIZE:
        raise RuntimeError(f"{groups} groups of {EPISODES} episodes")
    return groups / seconds
