"""Rows of samplers: the cost of a draw after a long history, compared with reading one row by its key."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

import psycopg

from tests.bench import long_run
from tests.bench.installation import Installation
from tests.bench.table import Row

EPISODES, TASKS = 1_000_000, 10_000
DRAWN, SAMPLES = 64, 8
REPEATS = 60
TARGET_MS = 100
FLOOR = "GET of the sampler"
NAMES = {"uniform": "chance alone", "band": "success band and need"}
STRATEGIES: dict[str, dict[str, Any]] = {
    "uniform": {"strategy": {"kind": "uniform"}},
    "band": {"strategy": {"kind": "success_band"}, "rollouts": {"kind": "by_need"}},
}


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("drawn", "train")
    with psycopg.connect(place.database_url("owner")) as owner:
        long_run.episodes_fill(owner, run, episodes=EPISODES, tasks=TASKS)
        long_run.facts_fill(owner, [run])
    place.manage("rebuild_sums")
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
        samplers = {name: _sampler(place, run, plan) for name, plan in STRATEGIES.items()}
        firsts = {name: _draw_ms(place, sampler) for name, sampler in samplers.items()}
        times: dict[str, list[float]] = {name: [] for name in (*samplers, FLOOR)}
        for _ in range(REPEATS):
            for name, sampler in samplers.items():
                _results_return(owner, sampler)
                times[name].append(_draw_ms(place, sampler))
            times[FLOOR].append(_floor_ms(place, samplers["band"]))
    yield from (_draw_row(name, times) for name in samplers)
    yield Row(
        "the first draw of a sampler that joins late",
        firsts["band"] / 1000,
        "s",
        30,
        is_lower_better=True,
        note=f"counts {EPISODES:,} results, once",
    )


def _draw_row(name: str, times: dict[str, list[float]]) -> Row:
    p95 = {kind: statistics.quantiles(of, n=20)[-1] for kind, of in times.items()}
    medians = {kind: statistics.median(of) for kind, of in times.items()}
    return Row(
        f"a draw by {NAMES[name]}, p95",
        p95[name],
        "ms",
        TARGET_MS,
        is_lower_better=True,
        peer=p95[FLOOR],
        beside=FLOOR,
        note=(
            f"{DRAWN} of {TASKS:,} tasks, {EPISODES:,} episodes, {DRAWN * SAMPLES} of them new; median "
            f"{medians[name]:.0f} ms, of the floor {medians[FLOOR]:.1f} ms; {REPEATS} of each in turn"
        ),
    )


def _floor_ms(place: Installation, sampler: int) -> float:
    begun = time.perf_counter()
    place.call("GET", f"/samplers/{sampler}")
    return (time.perf_counter() - begun) * 1000


def _sampler(place: Installation, run: int, plan: dict[str, Any]) -> int:
    body = {"run": run, "tasks": {"split": "long", "evaluation_splits": True}, "seed": 1, **plan}
    sampler = place.call("POST", "/samplers", body)
    if sampler["size"] != TASKS:
        raise RuntimeError(f"the sampler has {sampler['size']} tasks")
    return int(sampler["id"])


def _draw_ms(place: Installation, sampler: int) -> float:
    begun = time.perf_counter()
    draw = place.call("POST", f"/samplers/{sampler}/draw", {"count": DRAWN})
    if len(draw["items"]) != DRAWN:
        raise RuntimeError(f"{len(draw['items'])} tasks were drawn")
    return (time.perf_counter() - begun) * 1000


def _results_return(owner: psycopg.Connection, sampler: int) -> None:
    """Reset the sampler, so that the results of a draw are new again."""
    owner.execute(
        "UPDATE trajectories_sampler SET position = position - %s WHERE id = %s", [DRAWN * SAMPLES, sampler]
    )
