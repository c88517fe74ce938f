"""Browsers that do not grow old: a worn one opens no further episode, and ends with its last one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import time
from collections.abc import Iterator
from typing import Any

import psutil

from palaestra.api import Client
from palaestra.background import Background
from palaestra.pages import WarmPage
from palaestra.pool import PagePool
from palaestra.stage.capacity import MIB, StageConfig

MARK = "PALAESTRA_STAGE"
"""In the environment of every browser of a stage: which stage, and which of its browsers."""
_MARK = re.compile(r"(\d+):(\d+):(\d+\.\d+)/(\d+)")
WATCH_S = 5.0
END_LIMIT_S = 3.0
SAME_START_S = 0.5
Gone = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


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
        generation = self._of.pop(id(page))
        another = await generation.pool.renew(page)
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


def mark_make(browser: int) -> str:
    """The mark of a browser of this process."""
    own = psutil.Process()
    return f"{_namespace()}:{own.pid}:{own.create_time():.3f}/{browser}"


def memory_of(marks: list[str]) -> dict[str, float]:
    """The memory of marked browsers that this process started, in MiB, without what their processes share."""
    used = dict.fromkeys(marks, 0.0)
    for process, mark in marked(psutil.Process().children(recursive=True)):
        if mark in used:
            with contextlib.suppress(*Gone):
                memory = process.memory_info()
                used[mark] += (memory.rss - getattr(memory, "shared", 0)) / MIB
    return used


def orphans_end() -> int:
    """End the browsers of stages that have died, and nothing else; returns how many processes that were."""
    orphans = [process for process, mark in marked(psutil.process_iter()) if _is_orphan(mark)]
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for process in orphans:
            with contextlib.suppress(*Gone):
                end(process)
        _, alive = psutil.wait_procs(orphans, timeout=END_LIMIT_S)
        if not alive:
            break
    return len(orphans)


def marked(processes: Any) -> Iterator[tuple[psutil.Process, str]]:
    """The processes that carry a mark; those whose environment cannot be read carry none."""
    for process in processes:
        try:
            mark = process.environ().get(MARK)
        except (*Gone, OSError):
            continue
        if mark and _MARK.fullmatch(mark):
            yield process, mark


def _is_orphan(mark: str) -> bool:
    namespace, pid, begun = mark.partition("/")[0].split(":")
    if namespace != _namespace():
        return False  # numbers of another container's processes say nothing here
    try:
        started: float = psutil.Process(int(pid)).create_time()
    except psutil.NoSuchProcess:
        return True
    return abs(started - float(begun)) > SAME_START_S


def _namespace() -> str:
    """The number of the process namespace: in containers, process numbers repeat."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"
