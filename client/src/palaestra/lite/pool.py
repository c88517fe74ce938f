"""Pages without a browser, for ``Env`` and the engine in the place of a pool of warm ones."""

from __future__ import annotations

import asyncio

import httpx

from palaestra.connections import CONNECTIONS, Connections
from palaestra.lite.page import Library, LitePage

REQUEST_LIMIT_S = 15.0


class LitePool:
    """At most ``size`` pages at once over one pool of connections."""

    def __init__(self, *, size: int, transport: httpx.AsyncBaseTransport | None = None) -> None:
        timeout = httpx.Timeout(REQUEST_LIMIT_S, pool=None)
        count, headers = min(size, CONNECTIONS), {"Accept": "text/html"}
        self._http = Connections(count=count, timeout=timeout, headers=headers, transport=transport)
        self._library = Library(self._http)
        self._places = asyncio.Semaphore(size)

    async def acquire(self) -> LitePage:
        await self._places.acquire()
        return LitePage(self._http, self._library)

    async def release(self, page: LitePage, *, is_healthy: bool = True) -> None:
        self._places.release()

    async def renew(self, page: LitePage) -> LitePage:
        return LitePage(self._http, self._library)

    async def aclose(self) -> None:
        await self._http.aclose()
