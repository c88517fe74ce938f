"""A stage's capacity: its sizes, the slots for episodes, and the error when it is full."""

from __future__ import annotations

from typing import Any

import psutil

from palaestra.errors import ApiError, BrowserMissing
from palaestra.pages.surface import Pool
from palaestra.protocol.arms import arm_of
from palaestra.wire import AT_CAPACITY, Occupancy

MIB = 2**20
RETRY_AFTER_S = 2.0


class Full(ApiError):
    """Raised if the stage has no free slot now (HTTP 429); ``retry_after_s`` says when to try again."""

    def __init__(self, message: str) -> None:
        super().__init__(status=429, code=AT_CAPACITY, message=message)
        self.retry_after_s = RETRY_AFTER_S


class Slots:
    """The slots for episodes on one kind of page. A slot is reserved before an episode is opened."""

    def __init__(self, pool: Pool, *, size: int, memory_floor_mb: int = 0) -> None:
        self.pool, self.size = pool, size
        self.taken = 0
        self._memory_floor = memory_floor_mb * MIB

    @property
    def occupancy(self) -> Occupancy:
        return Occupancy(active=self.taken, max_active=self.size)

    def reserve(self) -> None:
        """Take a slot.

        Raises ``Full`` if there is no free slot or not enough memory, and ``BrowserMissing`` if the stage has
        no pages of this kind.
        """
        if self.size == 0:
            raise BrowserMissing("This stage has no pages of this kind: see palaestra stage --help.")
        if self.taken >= self.size:
            raise Full(f"All {self.size} pages of this stage are in use.")
        free = psutil.virtual_memory().available
        if free < self._memory_floor:
            raise Full(f"This machine has {free // MIB} MiB of memory left.")
        self.taken += 1


class Slot:
    """The slot of one session; it is the pool (``surface.Pool``) from which its environment gets its page."""

    def __init__(self, slots: Slots, *, arm: str) -> None:
        self._slots = slots
        self._has_page = arm_of(arm).has_page
        self._is_reserved = False

    def reserve(self) -> None:
        """Reserve a page. Raises ``Full`` if an episode would have to wait for one."""
        if self._has_page and not self._is_reserved:
            self._slots.reserve()
            self._is_reserved = True

    def free(self) -> None:
        """Give back the reserved slot, if there is one."""
        if self._is_reserved:
            self._slots.taken -= 1
            self._is_reserved = False

    async def acquire(self) -> Any:
        self.reserve()
        return await self._slots.pool.acquire()

    async def release(self, page: Any, *, is_healthy: bool = True) -> None:
        try:
            await self._slots.pool.release(page, is_healthy=is_healthy)
        finally:
            self.free()

    async def renew(self, page: Any) -> Any:
        return await self._slots.pool.renew(page)

    async def aclose(self) -> None:
        """Do nothing, because the pages belong to the stage."""
