"""Many simultaneous episodes under a simulated model, as trainers play them, without a real model.

Lite pages are given a picture and a longer outline, so that a step is as large as with a browser and a real
model. The model answers correctly, after a time that is drawn for each episode and step.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaestra.api import Client
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.pages.lite import LitePool
from palaestra.pages.lite.page import LitePage
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import PageView
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Solver
from palaestra.policies.solver import Solution
from palaestra.protocol.looks import NEUTRAL
from palaestra.rollouts import Rollout

OUTLINE_CHARS = 20_000
PICTURE_BYTES = 100_000
TURNS = 10
LINE = 'text: "{step} {number:05d} The wind turned after noon, and the boats that were still out came home."'
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, kw_only=True)
class Model:
    """The seconds that the simulated model takes for a turn: normally distributed, but never negative."""

    mean_s: float

    @property
    def spread_s(self) -> float:
        return self.mean_s / 2

    def seconds(self, episode: int, step: int) -> float:
        chance = random.Random(f"{episode}:{step}")
        return max(0.0, chance.gauss(self.mean_s, self.spread_s))


class SlowSolver:
    """A policy that reopens the page and scrolls until its last two turns, in which it answers correctly."""

    name, simulated = "slow solver", True

    def __init__(self, golds: Mapping[int, str], model: Model) -> None:
        self._model = model
        self._solver = Solver({task: Solution(task=task, answer=gold) for task, gold in golds.items()})

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        await asyncio.sleep(self._model.seconds(episode.id, episode.step))
        if episode.step > TURNS - 2:
            return await self._solver.act(observation, episode)
        if episode.step % 2:
            return f"I look again.\n{action_line('goto', url=observation.url)}"
        return f"I look further down.\n{action_line('scroll', direction='down')}"


class Lockstep(SlowSolver):
    """The same policy in batches: no episode continues before the slowest of its batch has its completion."""

    name = "slow solver in step"

    def __init__(self, golds: Mapping[int, str], model: Model, *, size: int) -> None:
        super().__init__(golds, model)
        self._line = asyncio.Barrier(size)

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        await self._line.wait()
        completion = await super().act(observation, episode)
        await self._line.wait()
        return completion


class HeavyPage(LitePage):
    """A lite page whose steps are as large as a browser's."""

    async def observe(self, *, acted: bool, with_text: bool = True) -> PageView | None:
        view = await super().observe(acted=acted, with_text=with_text)
        if view is None:
            return None
        step = self._bounds.step or 0
        size = len(LINE.format(step=step, number=0)) + 1
        more = (
            LINE.format(step=step, number=number)
            for number in range(max(0, OUTLINE_CHARS - len(view.text)) // size)
        )
        return replace(view, text="\n".join([view.text, *more]))

    async def call(self, function: str, *arguments: object) -> dict[str, Any]:
        if function == "picture":
            return {"moment": PageView.moment}  # the page never changes
        return await super().call(function, *arguments)

    async def screenshot(self) -> bytes:
        return PNG + os.urandom(PICTURE_BYTES - len(PNG))


class MixedPool:
    """A pool that lends its browser pages first, and lite pages when none is left."""

    def __init__(self, *, browser: PagePool | None, browser_pages: int, lite_pages: int) -> None:
        self._browser, self._left = browser, browser_pages if browser else 0
        self._lite = LitePool(size=lite_pages)
        self._of_browser: set[int] = set()

    async def acquire(self) -> Any:
        if self._browser and self._left:
            self._left -= 1
            page = await self._browser.acquire()
            self._of_browser.add(id(page))
            return page
        page = await self._lite.acquire()
        return self._heavy(page)

    async def release(self, page: Any, *, is_healthy: bool = True) -> None:
        if self._browser and id(page) in self._of_browser:
            self._of_browser.discard(id(page))
            self._left += 1
            return await self._browser.release(page, is_healthy=is_healthy)
        return await self._lite.release(page, is_healthy=is_healthy)

    async def renew(self, page: Any) -> Any:
        if self._browser and id(page) in self._of_browser:
            self._of_browser.discard(id(page))
            again = await self._browser.renew(page)
            self._of_browser.add(id(again))
            return again
        return self._heavy(await self._lite.renew(page))

    async def aclose(self) -> None:
        await self._lite.aclose()
        if self._browser:
            await self._browser.aclose()

    @staticmethod
    def _heavy(page: LitePage) -> LitePage:
        page.__class__ = HeavyPage
        return page


@dataclass(frozen=True, kw_only=True)
class Played:
    """The result of playing many episodes."""

    rollouts: Sequence[Rollout]
    seconds: float

    @property
    def lost(self) -> list[Rollout]:
        """The episodes that lack the verdict or the steps that their policy earned."""
        return [one for one in self.rollouts if one.outcome != "correct" or one.steps != TURNS]

    @property
    def steps(self) -> int:
        return sum(one.steps for one in self.rollouts)

    @property
    def pace(self) -> float:
        """Steps per second."""
        return self.steps / self.seconds


async def episodes_play(
    client: Client,
    *,
    policy: SlowSolver,
    tasks: Sequence[int],
    count: int,
    browser_pages: int = 0,
    inflight: int | None = None,
) -> Played:
    """Play episodes through the rollout engine, ``inflight`` of them (or all) at the same time.

    ``browser_pages`` of these are in a browser.
    """
    run = await client.run_create(name="scale", kind="train", model="scripted", simulated=True)
    config = EpisodeConfig(max_chars=OUTLINE_CHARS, with_pictures=True)
    async with Engine(client, config=config, time_limit_s=3600, verdict_limit_s=300) as engine:
        browser = PagePool(origin=client, size=browser_pages) if browser_pages else None
        engine.pool = MixedPool(browser=browser, browser_pages=browser_pages, lite_pages=count)
        opening = {"run": run.id, "arm": "gym", "samples_per_task": 1, "max_steps": TURNS}
        opening |= {"presentation": dict(NEUTRAL)}
        given = [tasks[number % len(tasks)] for number in range(count)]

        async def episodes() -> AsyncIterator[tuple[int, Episode]]:
            async for episode in engine.episodes_open(given, opening):
                yield run.id, episode

        begun = time.perf_counter()
        rollouts = await engine.play(episodes(), policy, inflight=inflight)
        return Played(rollouts=rollouts, seconds=time.perf_counter() - begun)
