"""HTTP over a bounded number of connections."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

CONNECTIONS = 32


class Connections(httpx.AsyncClient):
    """At most ``count`` requests at once; the others wait outside.

    httpcore looks through every connection for every request that waits, at each beginning and end of one:
    with some hundred waiting that takes longer than the requests.
    """

    def __init__(self, *, count: int = CONNECTIONS, **options: Any) -> None:
        limits = httpx.Limits(max_connections=count, max_keepalive_connections=count)
        super().__init__(limits=limits, **options)
        self._places = asyncio.Semaphore(count)

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        async with self._places:
            return await super().send(request, **options)
