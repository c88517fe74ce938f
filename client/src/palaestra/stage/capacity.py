"""How many episodes a stage plays at once, and what it says when it is full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psutil

from palaestra.errors import ApiError, BrowserMissing
from palaestra.protocol.arms import arm_of
from palaestra.surface import Pool
from palaestra.wire import AT_CAPACITY, PlacesLeft

MIB = 2**20
RETRY_AFTER_S = 2.0


@dataclass(frozen=True, kw_only=True)
class StageConfig:
    """The sizes of a stage: browser pages and pages read without a browser, which are the episodes that are
    open at once, sessions, and the life of a browser, in minutes and MiB.

    ``memory_floor_mb`` is the machine's free memory below which no episode is opened, ``linger_s`` how long
    a session waits for a trainer whose connection broke.
    """

    pages: int = 8
    lite_pages: int = 256
    sessions_max: int = 2_048
    browser_minutes: float = 60.0
    browser_memory_mb: int = 4_096
    memory_floor_mb: int = 512
    linger_s: float = 120.0


class Full(ApiError):
    """The stage takes no further episode now."""

    def __init__(self, message: str) -> None:
        super().__init__(status=429, code=AT_CAPACITY, message=message)
        self.retry_after_s = RETRY_AFTER_S


class Places:
    """The places of one kind of page; a place is claimed before an episode is opened."""

    def __init__(self, pool: Pool, *, size: int, memory_floor_mb: int = 0) -> None:
        self.pool, self.size = pool, size
        self.claimed = 0
        self._memory_floor = memory_floor_mb * MIB

    @property
    def left(self) -> PlacesLeft:
        return PlacesLeft(active=self.claimed, max_active=self.size)

    def claim(self) -> None:
        """Raises ``Full`` when there is no place, or memory for another page."""
        if self.size == 0:
            raise BrowserMissing("This stage has no pages of this kind: see palaestra stage --help.")
        if self.claimed >= self.size:
            raise Full(f"All {self.size} pages of this stage are in use.")
        free = psutil.virtual_memory().available
        if free < self._memory_floor:
            raise Full(f"This machine has {free // MIB} MiB of memory left.")
        self.claimed += 1


class Place:
    """The place of one session among pages: the pool that its environment plays on."""

    def __init__(self, places: Places, *, arm: str) -> None:
        self._places = places
        self._has_page = arm_of(arm).has_page
        self._is_claimed = False

    def claim(self) -> None:
        """Raises ``Full`` when an episode would have to wait for a page."""
        if self._has_page and not self._is_claimed:
            self._places.claim()
            self._is_claimed = True

    def drop(self) -> None:
        if self._is_claimed:
            self._places.claimed -= 1
            self._is_claimed = False

    async def acquire(self) -> Any:
        self.claim()
        return await self._places.pool.acquire()

    async def release(self, page: Any, *, is_healthy: bool = True) -> None:
        try:
            await self._places.pool.release(page, is_healthy=is_healthy)
        finally:
            self.drop()

    async def renew(self, page: Any) -> Any:
        return await self._places.pool.renew(page)

    async def aclose(self) -> None:
        """The pages belong to the stage."""
