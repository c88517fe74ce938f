"""Connections to an installation's lab and live servers, and the calls over them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import httpx

from palaestra import records
from palaestra.errors import ApiError
from palaestra.exports import Exports
from palaestra.http.paths import V1
from palaestra.http.transport import RETRIES, Transport, decode
from palaestra.records import Page

T = TypeVar("T")

WAIT_S = 20
WAIT_MARGIN_S = 10.0
Json = dict[str, Any]


class Calls:
    """Base of clients for one installation with one key."""

    def __init__(self, server: str, key: str, *, timeout_s: float = 30.0, retries: int = RETRIES) -> None:
        self._lab = Transport(base_url=server, key=key, timeout_s=timeout_s, retries=retries)
        self.exports = Exports(self._lab)
        self._live: Transport | None = None
        self._key = key
        self._health: records.Health | None = None
        # The cache of ``palaestra.recovery.lineage``, with the recorded lines of episodes that have forks.
        self.lines: dict[int, asyncio.Future[Any]] = {}

    async def aclose(self) -> None:
        await self._lab.aclose()
        if self._live is not None:
            await self._live.aclose()

    async def health(self) -> records.Health:
        """Return the installation's health with the addresses of arena and live; cached unless it is down."""
        if self._health is None or self._health.is_down:
            answer = await self._lab.send("GET", f"{V1}/health", takes=_is_report)
            self._health = decode(answer.content, answer=records.Health)
        return self._health

    # ---- inside
    async def _get(self, path: str, answer: type[T], **params: Any) -> T:
        return await self._lab.call("GET", f"{V1}/{path}", answer=answer, params=params)

    async def _post(self, path: str, answer: type[T], body: Json, **options: Any) -> T:
        return await self._lab.call("POST", f"{V1}/{path}", answer=answer, body=body, **options)

    async def _wait(self, path: str, answer: type[T], timeout_s: int, **params: Any) -> T:
        address = (await self.health()).live_url
        if not address:
            raise ApiError(
                status=503, code="no_live", message="The server does not give the address of its live server."
            )
        if self._live is None:
            self._live = Transport(base_url=address, key=self._key)
        params["timeout"] = timeout_s
        limit_s = timeout_s + WAIT_MARGIN_S
        return await self._live.call("GET", f"/wait/{path}", answer=answer, params=params, timeout_s=limit_s)


def _is_report(answer: httpx.Response) -> bool:
    """Return whether a response is the health report of an installation of which a part is down."""
    try:
        return decode(answer.content, answer=records.Health).is_down
    except ApiError:
        return False


def build_idempotency(key: str | None = None) -> dict[str, str]:
    """Return the header that makes a call safe to repeat."""
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def encode_filters(filters: Json) -> Json:
    """Return filters as query parameters, with lists as comma-separated values."""
    return {k: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v for k, v in filters.items()}


async def rows_read(page_read: Callable[..., Awaitable[Page[T]]], **filters: Any) -> AsyncIterator[T]:
    """Yield the rows of every page; ``page_read`` takes ``filters`` and a ``cursor``, at first None."""
    cursor: str | int | None = None
    while True:
        page = await page_read(**filters, cursor=cursor)
        for row in page.results:
            yield row
        if page.next is None:
            return
        cursor = page.next
