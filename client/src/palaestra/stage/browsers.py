"""Browsers that are recycled: a worn-out browser opens no more episodes and is closed after its last one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator

import psutil

from palaestra.api import Client
from palaestra.api.background import Background
from palaestra.errors import ApiError, Unreachable
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.stage.capacity import MIB
from palaestra.stage.health import Condition
from palaestra.stage.orphans import MARK, Gone, find_marked, mark_make
from palaestra.stage_config import StageConfig

logger = logging.getLogger(__name__)

WATCH_S = 5.0


class Generation:
    """One browser, from its first page to its last."""

    def __init__(self, number: int, *, origin: Client, config: StageConfig) -> None:
        self.mark = mark_make(number)
        self.pool = PagePool(origin=origin, size=config.pages, environment={MARK: self.mark})
        self.started_at = time.monotonic()
        self.pages_in_use = 0
        self.memory_mb = 0.0
        self.is_worn = False


class Browsers(Background):
    """A pool of pages in one browser at a time, which is replaced when it is old or uses much memory."""

    def __init__(self, origin: Client, config: StageConfig) -> None:
        self.recycled = 0
        self.browser = Condition("The browser opens no page")
        self._origin, self._config = origin, config
        self._count = 0
        self._generations: list[Generation] = []
        self._by_page: dict[int, Generation] = {}  # keyed by the page's id()

    @property
    def memory_mb(self) -> float:
        return sum(generation.memory_mb for generation in self._generations)

    @property
    def running(self) -> int:
        return len(self._generations)

    async def acquire(self) -> WarmPage:
        """Lend a page of the newest browser. Raises the same errors as ``PagePool.acquire``."""
        generation = self._newest()
        generation.pages_in_use += 1
        try:
            with self._attempt():
                page = await generation.pool.acquire()
        except BaseException:
            generation.pages_in_use -= 1
            raise
        self._by_page[id(page)] = generation
        return page

    async def release(self, page: WarmPage, *, is_healthy: bool = True) -> None:
        generation = self._by_page.pop(id(page))
        try:
            await generation.pool.release(page, is_healthy=is_healthy and not generation.is_worn)
        finally:
            generation.pages_in_use -= 1
            await self._end_worn()

    async def renew(self, page: WarmPage) -> WarmPage:
        generation = self._by_page[id(page)]
        with self._attempt():
            fresh = await generation.pool.renew(page)
        del self._by_page[id(page)]  # not earlier: if no new page can be opened, this one is released
        self._by_page[id(fresh)] = generation
        return fresh

    async def aclose(self) -> None:
        generations, self._generations = self._generations, []
        for generation in generations:
            await generation.pool.aclose()

    async def look(self) -> None:
        """Measure the browsers and retire those that are worn out."""
        memory = await asyncio.to_thread(measure_memory, [each.mark for each in self._generations])
        for generation in self._generations:
            generation.memory_mb = memory.get(generation.mark, 0.0)
            age_s = time.monotonic() - generation.started_at
            is_large = generation.memory_mb > self._config.browser_memory_mb
            generation.is_worn |= is_large or age_s > self._config.browser_minutes * 60
        await self._end_worn()

    @contextlib.contextmanager
    def _attempt(self) -> Iterator[None]:
        """Count an attempt to open a page as the browser's success or failure, unless the lab failed."""
        try:
            yield
        except (ApiError, Unreachable):
            raise
        except Exception as failure:
            self.browser.note(failure)
            raise
        self.browser.note(None)

    async def _retry(self) -> None:
        """Try another browser if the current one opens no page.

        Otherwise nobody would notice that a browser works again, because trainers send no episodes to a stage
        that reports itself unhealthy.
        """
        if self.browser.works:
            return
        self._newest().is_worn = True
        try:
            await self.release(await self.acquire())
        except Exception:  # counted by the attempt; the next attempt follows
            logger.debug("still no page", exc_info=True)

    def _newest(self) -> Generation:
        if not self._generations or self._generations[-1].is_worn:
            self._count += 1
            self._generations.append(Generation(self._count, origin=self._origin, config=self._config))
        return self._generations[-1]

    async def _end_worn(self) -> None:
        worn = [each for each in self._generations if each.is_worn and not each.pages_in_use]
        for generation in worn:
            self._generations.remove(generation)
            self.recycled += 1
            await generation.pool.aclose()

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            await self.look()
            await self._retry()


def measure_memory(marks: list[str]) -> dict[str, float]:
    """Return the memory, in MiB without shared pages, of the marked browsers that this process started."""
    used = dict.fromkeys(marks, 0.0)
    for process, mark in find_marked(psutil.Process().children(recursive=True)):
        if mark in used:
            with contextlib.suppress(*Gone):
                memory = process.memory_info()
                used[mark] += (memory.rss - getattr(memory, "shared", 0)) / MIB
    return used
