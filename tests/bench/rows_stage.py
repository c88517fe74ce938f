"""Rows of episodes played through a stage, compared with ``Env`` in the trainer's own process.

Both play the same tasks with the same actions, in turns, with and without a browser. All of a stage's
sessions are open at the same time, and each takes its steps as fast as it is answered.
"""

from __future__ import annotations

import asyncio
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import psutil

from palaestra.api import Client
from palaestra.env import Env
from palaestra.pages.lite import LitePool
from palaestra.play.pools import LITE
from palaestra.protocol.looks import NEUTRAL
from palaestra.remote import RemoteEnv
from tests.bench.installation import Installation
from tests.bench.rows_site_browser import Way, ways_of
from tests.bench.servers import free_ports, stage_spawn
from tests.bench.table import Row, middle

TURNS = 3
TASKS = 2
SESSIONS = 512
SESSION_STEPS = 4
RATIO_TARGET = 0.8
MIB = 2**20
NOOP = 'I wait.\nAction: {"type": "noop"}'


@dataclass(frozen=True)
class Running:
    """A stage in its own process."""

    address: str
    token: str
    process: psutil.Process

    @property
    def memory_mb(self) -> float:
        rss: int = self.process.memory_info().rss
        return rss / MIB


def rows(place: Installation) -> Iterator[Row]:
    ways = dict(list(ways_of(place, "stays").items())[:TASKS])
    with stage_start(place) as stage:
        for browser in ("chromium", LITE):
            settings = {"settings": {"browser": LITE}} if browser == LITE else {}
            run = _run_create(place, settings)
            local, staged = asyncio.run(_beside(place, stage, run, browser, ways))
            yield Row(
                f"steps of one environment on a stage, {browser}",
                staged,
                "/s",
                0,
                peer=local,
                beside="Env in the same process",
                ratio_target=RATIO_TARGET,
                note=f"{1000 / staged - 1000 / local:.1f} ms more a step",
            )
        run, tasks = _run_create(place, {"settings": {"browser": LITE}}), list(ways)
        local, _ = asyncio.run(_crowded_here(place, run, tasks))
        before = stage.memory_mb
        staged, latencies = asyncio.run(_crowded(run, tasks, stage))
        grown = (stage.memory_mb - before) / SESSIONS
        p95 = statistics.quantiles(latencies, n=20)[-1]
        yield Row(
            "steps of a crowded stage, lite",
            staged,
            "/s",
            0,
            peer=local,
            beside="as many Envs in one process",
            ratio_target=RATIO_TARGET,
            note=f"{SESSIONS} episodes open at once; p95 of a step {p95:.1f} s; {grown:.2f} MiB a session",
        )


def _run_create(place: Installation, settings: dict[str, Any]) -> int:
    body = {"name": "stage", "kind": "eval", "model": "none", "simulated": True, **settings}
    return int(place.call("POST", "/runs", body)["id"])


@contextmanager
def stage_start(place: Installation) -> Iterator[Running]:
    """Start a stage for the installation, and yield it when it is ready to play."""
    [port], token = free_ports(1), secrets.token_urlsafe(24)
    sizes = ["--pages", "2", "--lite-pages", str(SESSIONS), "--memory-floor", "0"]
    process = stage_spawn(place.lab, key=place.key, token=token, port=port, sizes=sizes)
    try:
        yield Running(f"http://127.0.0.1:{port}", token, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait()


async def _beside(
    place: Installation, stage: Running, run: int, browser: str, ways: dict[int, Way]
) -> tuple[float, float]:
    """Return the steps per second of an environment in this process and of one on the stage."""
    fixed = {"run": run, "browser": browser, "presentation": dict(NEUTRAL)}
    async with (
        Env(place.lab, place.key, **fixed) as here,
        RemoteEnv(stage.address, stage.token, **fixed) as there,
    ):
        pairs = []
        for turn in range(TURNS + 1):
            pair = [await _speed(env, ways) for env in (here, there)]
            if turn:  # the very first episodes are slow
                pairs.append((pair[0], pair[1]))
    return middle(pairs)


async def _speed(env: Env | RemoteEnv, ways: dict[int, Way]) -> float:
    """Return the steps per second, without the last step of each way, which waits for a verdict."""
    seconds, steps = 0.0, 0
    for task, way in ways.items():
        look = await env.reset(task)
        for move in way[:-1]:
            completion = f"I go on.\nAction: {msgspec.json.encode(move.action(look.text)).decode()}"
            begun = time.perf_counter()
            look, *_ = await env.step(completion)
            seconds, steps = seconds + time.perf_counter() - begun, steps + 1
    return steps / seconds


async def _crowded_here(place: Installation, run: int, tasks: list[int]) -> tuple[float, list[float]]:
    async with Client(place.lab, place.key) as client:
        pool = LitePool(size=SESSIONS)
        measured = await _together(
            [Env("", "", client=client, pool=pool, **_crowd(run)) for _ in range(SESSIONS)], tasks
        )
        await pool.aclose()
    return measured


async def _crowded(run: int, tasks: list[int], stage: Running) -> tuple[float, list[float]]:
    envs = [RemoteEnv(stage.address, stage.token, **_crowd(run)) for _ in range(SESSIONS)]
    return await _together(envs, tasks)


def _crowd(run: int) -> dict[str, Any]:
    return {"run": run, "browser": LITE, "presentation": dict(NEUTRAL), "max_steps": 100}


async def _together(envs: Sequence[Env | RemoteEnv], tasks: list[int]) -> tuple[float, list[float]]:
    """Return the steps per second of many environments together, and the duration of each step."""
    async with AsyncExitStack() as stack:
        for env in envs:
            await stack.enter_async_context(env)
        await asyncio.gather(*(env.reset(tasks[n % len(tasks)]) for n, env in enumerate(envs)))
        begun = time.perf_counter()
        latencies = await asyncio.gather(*map(_steps, envs))
        seconds = time.perf_counter() - begun
    return len(envs) * SESSION_STEPS / seconds, [one for some in latencies for one in some]


async def _steps(env: Env | RemoteEnv) -> list[float]:
    latencies = []
    for _ in range(SESSION_STEPS):
        begun = time.perf_counter()
        await env.step(NOOP)
        latencies.append(time.perf_counter() - begun)
    return latencies
