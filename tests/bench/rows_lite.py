"""Rows of pages read without a browser, compared with a browser on the same pages with the same actions.

Both play the ways of ``rows_site_browser`` on the arena, in turns and with all cores: the browser through its
processes, the pages without a browser through several client processes. The speed of a client alone is
measured on one core, with pages that come from memory because it has received them before.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor

from palaestra.actions import action_check, action_perform
from palaestra.observation import ObservationConfig, Observer, get_format
from palaestra.pages.lite import LitePool
from palaestra.pages.lite.exchange import Answer, Exchange
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import Pool, Surface
from tests.bench.installation import Installation
from tests.bench.rows_browser import PAGES
from tests.bench.rows_site_browser import FAMILIES, Way, ways_of
from tests.bench.table import Row, middle

TURNS = 3
REPEATS = 20
CLIENTS = os.cpu_count() or 1
# The number of pages that each client plays at the same time.
LITE_PAGES = 8
# How often every way is played; often enough that the last episodes, which play alone, count little.
BROWSER_ROUNDS, LITE_ROUNDS = 3, 10
LIMIT_S = 30.0
RATIO_TARGET = 20.0
# One core's part of the 1,000 steps per second that two cores should reach.
CORE_TARGET = 500.0
CONFIG = ObservationConfig(form=get_format("axtree"))
Given = Sequence[tuple[str, Way]]


def rows(place: Installation) -> Iterator[Row]:
    for site in FAMILIES:
        ways = ways_of(place, site)
        with ProcessPoolExecutor(CLIENTS, multiprocessing.get_context("spawn")) as clients:
            turns = [
                (asyncio.run(_in_browser(place, ways)), _without(place, ways, clients)) for _ in range(TURNS)
            ]
        browser, lite = middle(turns)
        yield Row(
            f"lite steps of {site}",
            lite,
            "/s",
            0,
            peer=browser,
            beside="same actions in a browser",
            ratio_target=RATIO_TARGET,
            note=f"arena on the same cores; {CLIENTS} clients of {LITE_PAGES} pages, {PAGES} in the browser",
        )
        alone, pages = asyncio.run(_alone(place, ways))
        note = f"{pages} pages from memory, CPU time"
        yield Row(f"lite steps of {site}, client alone on one core", alone, "/s", CORE_TARGET, note=note)


async def _in_browser(place: Installation, ways: dict[int, Way]) -> float:
    """Return the steps per second in a browser."""
    pool = PagePool(origin=place.arena, size=PAGES)
    await _played(pool, _given(place, ways))  # the very first episodes are slow
    given = _given(place, ways, BROWSER_ROUNDS)
    begun = time.perf_counter()
    steps = await _played(pool, given)
    speed = steps / (time.perf_counter() - begun)
    await pool.aclose()
    return speed


def _without(place: Installation, ways: dict[int, Way], clients: Executor) -> float:
    """Return the steps per second of all clients together."""
    list(clients.map(_client_play, [_given(place, ways) for _ in range(CLIENTS)]))
    episodes = [_given(place, ways, LITE_ROUNDS) for _ in range(CLIENTS)]
    begun = time.perf_counter()
    steps = sum(clients.map(_client_play, episodes))
    return steps / (time.perf_counter() - begun)


def _client_play(given: Given) -> int:
    """Play the episodes in a client's process, and return the number of steps."""

    async def play() -> int:
        pool = LitePool(size=LITE_PAGES)
        steps = await _played(pool, given)
        await pool.aclose()
        return steps

    return asyncio.run(play())


class Memory:
    """An exchange that caches the answers to all requests."""

    def __init__(self, around: Exchange) -> None:
        self.known: dict[tuple[str, str, bytes], Answer] = {}
        self._around = around

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        key = (method, url, body)
        if key not in self.known:
            self.known[key] = await self._around.send(method, url, headers=headers, body=body)
        return self.known[key]

    async def aclose(self) -> None:
        await self._around.aclose()


async def _alone(place: Installation, ways: dict[int, Way]) -> tuple[float, int]:
    """Return the steps per second of CPU time with every answer in memory, and the number of answers."""
    memory = Memory(Exchange(count=1, limit_s=LIMIT_S))
    pool = LitePool(size=1, exchange=memory)
    given = _given(place, ways)
    await _played(pool, given)
    begun, steps = time.process_time(), 0
    for _ in range(REPEATS):
        steps += await _played(pool, given)
    speed = steps / (time.process_time() - begun)
    await pool.aclose()
    return speed, len(memory.known)


def _given(place: Installation, ways: dict[int, Way], rounds: int = 1) -> Given:
    run = place.run_create("lite")
    episodes = [one for _ in range(rounds) for one in place.episodes_open(run, list(ways))]
    return [
        (episode["start_url"], way) for episode, way in zip(episodes, [*ways.values()] * rounds, strict=True)
    ]


async def _played(pool: Pool, given: Given) -> int:
    """Play all these episodes, several at the same time, and return the number of steps."""
    return sum(await asyncio.gather(*(_episode(pool, *one) for one in given)))


async def _episode(pool: Pool, address: str, way: Way) -> int:
    page: Surface = await pool.acquire()
    try:
        observer = Observer(CONFIG)
        await page.begin(address)
        view = await page.observe(acted=False)
        for step, move in enumerate(way, start=1):
            if view is None:
                return step - 1
            page.turn(step)
            outcome = await action_perform(page, action_check(move.action(view.text)))
            if not outcome.is_ok:
                raise RuntimeError(f"{move}: {outcome}")
            view = await page.observe(acted=True)
            if view is not None:
                await observer.observe(page, view)
        return len(way)
    finally:
        await pool.release(page)
