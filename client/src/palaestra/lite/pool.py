"""A pool of pages without a browser, which ``Env`` and the engine use like a pool of warm pages."""

from __future__ import annotations

import asyncio

from palaestra.connections import CONNECTIONS
from palaestra.lite.exchange import Exchange
from palaestra.lite.page import Library, LitePage

REQUEST_LIMIT_S = 15.0


class LitePool:
    """Lends at most ``size`` pages at once, over one pool of connections."""

    def __init__(self, *, size: int, exchange: Exchange | None = None) -> None:
        self._exchange = exchange or Exchange(count=min(size, CONNECTIONS), limit_s=REQUEST_LIMIT_S)
        self._library = Library(self._exchange)
        self._slots = asyncio.Semaphore(size)

    async def acquire(self) -> LitePage:
        await self._slots.acquire()
        return LitePage(self._exchange, self._library)

    async def release(self, page: LitePage, *, is_healthy: bool = True) -> None:
        await page.close()
        self._slots.release()

    async def renew(self, page: LitePage) -> LitePage:
        await page.close()
        return LitePage(self._exchange, self._library)

    async def aclose(self) -> None:
        await self._exchange.aclose()
