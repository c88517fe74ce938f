"""Rows of a thousand open episodes under a simulated model, and of the engine against simpler methods.

`SCALE_EPISODES`, `SCALE_MODEL_S` and `SCALE_BROWSER_PAGES` change the scale.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.api import Client
from tests.bench.installation import Installation
from tests.bench.load import Result
from tests.bench.processor import memory_mb, pids_of, with_children
from tests.bench.scale import TURNS, Lockstep, Model, Played, SlowSolver, episodes_play
from tests.bench.servers import BASE_DIR
from tests.bench.table import Row
from tests.services.flow import golds_of

EPISODES = int(os.environ.get("SCALE_EPISODES", "1024"))
MODEL = Model(mean_s=float(os.environ.get("SCALE_MODEL_S", "20")))
BROWSER_PAGES = int(os.environ.get("SCALE_BROWSER_PAGES", "16"))
DAY_S = 86_400
SAMPLE_S = 5.0
# The ways to play are compared under a faster model; otherwise, playing one after another would take all day.
QUICK = Model(mean_s=2.0)
AT_ONCE, BATCHES, ALONE = 32, 3, 2


def rows(place: Installation) -> Iterator[Row]:
    golds = golds_of(place.database_url("owner"))
    tasks = [task for task in place.question_ids() if task in golds]
    yield from _scale(place, golds, tasks)
    yield from _ways(place, golds, tasks)


def _scale(place: Installation, golds: Mapping[int, str], tasks: Sequence[int]) -> Iterator[Row]:
    disk, memory = _disk_mb(place), Memory(place)
    with memory, _probed(place, tasks) as probe:
        played = asyncio.run(
            _played(
                place,
                policy=SlowSolver(golds, MODEL),
                tasks=tasks,
                count=EPISODES,
                browser_pages=BROWSER_PAGES,
            )
        )
    note = (
        f"{EPISODES - BROWSER_PAGES} lite, {BROWSER_PAGES} in a browser, {TURNS} turns each,"
        f" {MODEL.mean_s:.0f} s ± {MODEL.spread_s:.0f} s a turn, 20 kB and 100 kB a step"
    )
    for one in played.lost:
        reason = one.verdict.reason if one.verdict else "no verdict"
        print(f"  lost: episode {one.episode}, {one.steps} steps, {reason} {one.problem}", flush=True)
    yield Row("episodes lost of those open at once", len(played.lost), "", 0, is_lower_better=True, note=note)
    ideal_s = max(
        sum(MODEL.seconds(one.episode, step + 1) for step in range(TURNS)) for one in played.rollouts
    )
    beside = "the model alone, its slowest episode"
    yield Row(
        "all of them played",
        played.seconds,
        "s",
        ideal_s * 1.25,
        is_lower_better=True,
        peer=ideal_s,
        beside=beside,
    )
    yield Row("steps meanwhile", played.pace, "/s", 0)
    p50, p99 = (Result(latencies_ms=probe).percentile(share) for share in (0.5, 0.99))
    yield Row(
        "a page of the arena meanwhile, p99", p99, "ms", 250, is_lower_better=True, note=f"p50 {p50:.1f} ms"
    )
    yield Row("memory of the installation, at most", memory.most_mb, "MB", 4_000, is_lower_better=True)
    yield Row(
        "memory of the client and its browser, at most",
        memory.most_client_mb,
        "MB",
        4_000,
        is_lower_better=True,
    )
    grown = (_disk_mb(place) - disk) / played.steps
    day = grown * played.pace * DAY_S / 1000
    yield Row(
        "disk per step",
        grown * 1000,
        "kB",
        200,
        is_lower_better=True,
        note=f"{day:,.0f} GB a day at this pace",
    )


async def _played(place: Installation, **options: Any) -> Played:
    async with Client(place.lab, place.key) as client:
        return await episodes_play(client, **options)


def _ways(place: Installation, golds: Mapping[int, str], tasks: Sequence[int]) -> Iterator[Row]:
    """Compare the engine, which replaces ended episodes, with batches in step and with one after another."""

    def pace(policy: SlowSolver, *, count: int, inflight: int) -> float:
        played = asyncio.run(_played(place, policy=policy, tasks=tasks, count=count, inflight=inflight))
        if played.lost:
            raise RuntimeError(f"{len(played.lost)} episodes were lost: {played.lost[0]}")
        return played.pace

    engine = pace(SlowSolver(golds, QUICK), count=AT_ONCE * BATCHES, inflight=AT_ONCE)
    alone = pace(SlowSolver(golds, QUICK), count=ALONE, inflight=1)
    batches = pace(Lockstep(golds, QUICK, size=AT_ONCE), count=AT_ONCE, inflight=AT_ONCE)
    name, note = (
        f"steps of the engine, {AT_ONCE} episodes at once",
        f"{QUICK.mean_s:.0f} s ± {QUICK.spread_s:.0f} s a turn",
    )
    yield Row(name, engine, "/s", 0, peer=alone, beside="one after another", ratio_target=5.0, note=note)
    yield Row(
        name,
        engine,
        "/s",
        0,
        peer=batches,
        beside="the same in batches, turn by turn",
        ratio_target=1.5,
        note=note,
    )


@dataclass
class Memory:
    """Measures, every few seconds, the memory of the installation and of this process with its browser."""

    place: Installation
    most_mb: float = 0.0
    most_client_mb: float = 0.0
    is_over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Memory:
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            of_place = with_children(pids_of(var_dir=self.place.var_dir)) - {os.getpid()}
            of_client = with_children({os.getpid()}) - of_place
            self.most_mb = max(self.most_mb, memory_mb(of_place))
            self.most_client_mb = max(self.most_client_mb, memory_mb(of_client))
            if self.is_over.wait(SAMPLE_S):
                return


@contextlib.contextmanager
def _probed(place: Installation, tasks: Sequence[int]) -> Iterator[list[float]]:
    """Yield a list, which is filled with the response times of a page in milliseconds when the block ends."""
    (episode,) = place.episodes_open(place.run_create("probe"), tasks[:1])
    command = [sys.executable, "-m", "tests.bench.scale_probe", episode["start_url"]]
    times: list[float] = []
    with subprocess.Popen(command, cwd=BASE_DIR, env=place.env, stdout=subprocess.PIPE, text=True) as probe:
        try:
            yield times
        finally:
            probe.terminate()
            output, _ = probe.communicate()
    times.extend(json.loads(output))


def _disk_mb(place: Installation) -> float:
    time.sleep(1.0)  # lets recent writes reach the disk
    return sum(path.stat().st_blocks * 512 for path in place.var_dir.rglob("*") if path.is_file()) / 1e6
