"""Rows of forks: opening them, compared with episodes, and restoring their pages, compared with playing.

The parent wanders over the booking site for a number of steps, through forms, searches, listings and rooms.
The fork begins before the step that follows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import cycle, islice

from palaestra.api import Client
from palaestra.api.background import verdict_wait
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars.json import action_line
from palaestra.pages.surface import BROWSERS, Pool
from palaestra.play.episode import Episode
from palaestra.play.pools import pool_make
from palaestra.protocol.looks import NEUTRAL
from palaestra.records import OpenedEpisode
from tests.bench.installation import Installation
from tests.bench.rows_site_browser import Way, ways_of
from tests.bench.table import Row, middle

STEPS = 20
OPENED = 1_000
TURNS = 5
# Each of the lab's connections plans the statements of a restoration once, so for most forks they are
# planned.
FORKS = 20
VERDICT_LIMIT_S = 60.0
# The share of the time that playing took.
SHARES = {"chromium": 0.4, "lite": 0.15}


def rows(place: Installation) -> Iterator[Row]:
    task, way = _wandering(place)
    for browser in BROWSERS:
        pairs, parent = asyncio.run(_restored(place, task, way, browser=browser))
        played, restored = middle(pairs)
        yield Row(
            f"forks of {STEPS} steps restored, {browser}",
            restored,
            "/s",
            0,
            peer=played,
            beside="playing these steps",
            ratio_target=1 / SHARES[browser],
            note=f"median of {len(pairs)}: restoring takes {played / restored:.0%} of the time",
        )
    yield _opening(place, task, parent)


def _wandering(place: Installation) -> tuple[int, Way]:
    """Return a task, and its way without the answer, repeated to the number of steps."""
    task, way = next(iter(ways_of(place, "stays").items()))
    legs = [move for move in way if move.name != "Answer"]
    answering = next(place for place, move in enumerate(way) if move.name == "Answer")
    return task, tuple(islice(cycle(legs[:answering]), STEPS + 1))


def _opening(place: Installation, task: int, parent: int) -> Row:
    pairs = []
    for _ in range(TURNS):
        run = place.run_create("forks")
        begun = time.perf_counter()
        place.episodes_open(run, [task], OPENED, presentation={})
        episodes_s, begun = time.perf_counter() - begun, time.perf_counter()
        place.call("POST", f"/episodes/{parent}/fork", {"step": STEPS, "count": OPENED})
        pairs.append((OPENED / episodes_s, OPENED / (time.perf_counter() - begun)))
    episodes, forks = middle(pairs)
    return Row(
        f"{OPENED:,} forks opened",
        forks,
        "/s",
        0,
        peer=episodes,
        beside="episodes of the same task",
        ratio_target=0.5,
        note=f"after step {STEPS}; median of {TURNS} turns",
    )


async def _restored(
    place: Installation, task: int, way: Way, *, browser: str
) -> tuple[list[tuple[float, float]], int]:
    """Measure how often per second the steps can be played and restored, and return a parent as well."""
    pairs = []
    run = place.run_create(f"forks, {browser}")
    pool = pool_make(browser, origin=place.arena, size=1)
    async with Client(place.lab, place.key) as client:
        try:
            for turn in range(TURNS + 1):
                opening = await client.episodes_open(
                    run=run, tasks=[task], arm="gym", presentation=dict(NEUTRAL), max_steps=10 * STEPS
                )
                parent = opening.episodes[0]
                played_s = await _play(client, pool, parent, way)
                forks = (await client.episode_fork(parent.id, step=STEPS, count=FORKS)).episodes
                restored_s = [await _restore(client, pool, fork) for fork in forks]
                if turn:  # the very first episode is slow
                    pairs += [(1 / played_s, 1 / seconds) for seconds in restored_s]
        finally:
            await pool.aclose()
    return pairs, parent.id


async def _play(client: Client, pool: Pool, opened: OpenedEpisode, way: Way) -> float:
    """Return the seconds from opening the first page to the observation after the penultimate step."""
    episode = await _made(client, pool, opened)
    begun = time.perf_counter()
    observation = await episode.begin()
    for move in way[:STEPS]:
        _, outcome = await episode.turn(action_line(**move.action(observation.text)))
        if not outcome.is_ok:
            raise RuntimeError(f"{move}: {outcome}")
        observation = episode.observation
    await episode.step_queue.flush()
    seconds = time.perf_counter() - begun
    await episode.turn(action_line("noop"))
    await _ended(client, pool, episode)
    return seconds


async def _restore(client: Client, pool: Pool, opened: OpenedEpisode) -> float:
    episode = await _made(client, pool, opened)
    begun = time.perf_counter()
    await episode.begin()
    seconds = time.perf_counter() - begun
    await _ended(client, pool, episode)
    return seconds


async def _made(client: Client, pool: Pool, opened: OpenedEpisode) -> Episode:
    messages = await client.opening_messages(opened.id)
    episode = Episode(client, opened, messages=messages, config=EpisodeConfig())
    episode.page, episode.renew = await pool.acquire(), pool.renew
    return episode


async def _ended(client: Client, pool: Pool, episode: Episode) -> None:
    await episode.close("agent_stopped")
    await pool.release(episode.page)
    if await verdict_wait(client, episode.opened.id, limit_s=VERDICT_LIMIT_S) is None:
        raise RuntimeError(f"episode {episode.opened.id} has no verdict")
