"""Browsers that do not grow old: a worn one opens no further episode, and ends with its last one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator

import psutil

from palaestra.api import Client
from palaestra.background import Background
from palaestra.errors import ApiError, Unreachable
from palaestra.pages import WarmPage
from palaestra.pool import PagePool
from palaestra.stage.capacity import MIB, StageConfig
from palaestra.stage.health import Condition
from palaestra.stage.orphans import MARK, Gone, mark_make, marked

logger = logging.getLogger(__name__)

WATCH_S = 5.0


class Generation:
    """One browser, from its first page to its last."""

    def __init__(self, number: int, *, origin: Client, config: StageConfig) -> None:
        self.mark = mark_make(number)
        self.pool = PagePool(origin=origin, size=config.pages, environment={MARK: self.mark})
        self.begun = time.monotonic()
        self.held = 0
        self.memory_mb = 0.0
        self.is_worn = False


class Browsers(Background):
    """A pool of pages over one browser at a time, which is replaced when it is old or large."""

    def __init__(self, origin: Client, config: StageConfig) -> None:
        self.recycled = 0
        self.browser = Condition("The browser opens no page")
        self._origin, self._config = origin, config
        self._count = 0
        self._generations: list[Generation] = []
        self._of: dict[int, Generation] = {}  # by the id of the page

    @property
    def memory_mb(self) -> float:
        return sum(one.memory_mb for one in self._generations)

    @property
    def running(self) -> int:
        return len(self._generations)

    async def acquire(self) -> WarmPage:
        generation = self._newest()
        generation.held += 1
        try:
            with self._attempt():
                page = await generation.pool.acquire()
        except BaseException:
            generation.held -= 1
            raise
        self._of[id(page)] = generation
        return page

    async def release(self, page: WarmPage, *, is_healthy: bool = True) -> None:
        generation = self._of.pop(id(page))
        try:
            await generation.pool.release(page, is_healthy=is_healthy and not generation.is_worn)
        finally:
            generation.held -= 1
            await self._end_worn()

    async def renew(self, page: WarmPage) -> WarmPage:
        generation = self._of[id(page)]
        with self._attempt():
            another = await generation.pool.renew(page)
        del self._of[id(page)]  # not before: without another page, this one is given back
        self._of[id(another)] = generation
        return another

    async def aclose(self) -> None:
        generations, self._generations = self._generations, []
        for generation in generations:
            await generation.pool.aclose()

    async def look(self) -> None:
        """Measure the browsers, and take what is worn out of use."""
        memory = await asyncio.to_thread(memory_of, [one.mark for one in self._generations])
        for generation in self._generations:
            generation.memory_mb = memory.get(generation.mark, 0.0)
            age_s = time.monotonic() - generation.begun
            is_large = generation.memory_mb > self._config.browser_memory_mb
            generation.is_worn |= is_large or age_s > self._config.browser_minutes * 60
        await self._end_worn()

    @contextlib.contextmanager
    def _attempt(self) -> Iterator[None]:
        """An attempt to have a page, which counts for the browser; the lab's failures are none of it."""
        try:
            yield
        except (ApiError, Unreachable):
            raise
        except Exception as failure:
            self.browser.note(failure)
            raise
        self.browser.note(None)

    async def _retry(self) -> None:
        """Try another browser where the present one opens no page: trainers who heed the stage's health would
        never do so."""
        if self.browser.works:
            return
        self._newest().is_worn = True
        try:
            await self.release(await self.acquire())
        except Exception:  # the top of one attempt, which is counted; the next one follows
            logger.debug("still no page", exc_info=True)

    def _newest(self) -> Generation:
        if not self._generations or self._generations[-1].is_worn:
            self._count += 1
            self._generations.append(Generation(self._count, origin=self._origin, config=self._config))
        return self._generations[-1]

    async def _end_worn(self) -> None:
        for generation in [one for one in self._generations if one.is_worn and not one.held]:
            self._generations.remove(generation)
            self.recycled += 1
            await generation.pool.aclose()

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            await self.look()
            await self._retry()


def memory_of(marks: list[str]) -> dict[str, float]:
    """The memory of marked browsers that this process started, in MiB, without what their processes share."""
    used = dict.fromkeys(marks, 0.0)
    for process, mark in marked(psutil.Process().children(recursive=True)):
        if mark in used:
            with contextlib.suppress(*Gone):
                memory = process.memory_info()
                used[mark] += (memory.rss - getattr(memory, "shared", 0)) / MIB
    return used
