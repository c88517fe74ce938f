"""Pages without a browser, for ``Env`` and the engine in the place of a pool of warm ones."""

from __future__ import annotations

import asyncio

import httpx

from palaestra.lite.page import Library, LitePage

REQUEST_LIMIT_S = 15.0


class LitePool:
    """At most ``size`` pages at once over one pool of connections."""

    def __init__(self, *, size: int, transport: httpx.AsyncBaseTransport | None = None) -> None:
        limits = httpx.Limits(max_connections=size, max_keepalive_connections=size)
        timeout = httpx.Timeout(REQUEST_LIMIT_S, pool=None)
        self._http = httpx.AsyncClient(
            limits=limits, timeout=timeout, headers={"Accept": "text/html"}, transport=transport
        )
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
