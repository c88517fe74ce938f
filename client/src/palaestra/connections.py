"""HTTP over a bounded number of connections."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

CONNECTIONS = 32


class Connections(httpx.AsyncClient):
    """An HTTP client with at most ``count`` requests at once; the others wait for a semaphore.

    Otherwise they would wait in httpcore's pool, which scans all connections for each waiting request
    whenever one begins or ends: with hundreds waiting, that takes longer than the requests.
    """

    def __init__(self, *, count: int = CONNECTIONS, **options: Any) -> None:
        limits = httpx.Limits(max_connections=count, max_keepalive_connections=count)
        super().__init__(limits=limits, **options)
        self._slots = asyncio.Semaphore(count)

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        async with self._slots:
            return await super().send(request, **options)
