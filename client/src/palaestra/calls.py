"""The connections to lab and live, and the sending of calls over them."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, TypeVar

import httpx

from palaestra import records
from palaestra.errors import ApiError
from palaestra.exports import Exports
from palaestra.transport import RETRIES, Transport, decode

T = TypeVar("T")

WAIT_S = 20
WAIT_MARGIN_S = 10.0
V1 = "/api/v1"
Json = dict[str, Any]


class Calls:
    """One installation, used with one key."""

    def __init__(self, server: str, key: str, *, timeout_s: float = 30.0, retries: int = RETRIES) -> None:
        self._lab = Transport(base_url=server, key=key, timeout_s=timeout_s, retries=retries)
        self.exports = Exports(self._lab)
        self._live: Transport | None = None
        self._key = key
        self._health: records.Health | None = None
        # Of episodes that have forks: see ``palaestra.lineage``.
        self.lines: dict[int, asyncio.Future[Any]] = {}

    async def aclose(self) -> None:
        await self._lab.aclose()
        if self._live is not None:
            await self._live.aclose()

    async def health(self) -> records.Health:
        """The state of the installation and the addresses of arena and live; cached unless a part is down."""
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
            raise ApiError(status=503, code="no_live", message="The server gives no address for waits.")
        if self._live is None:
            self._live = Transport(base_url=address, key=self._key)
        params["timeout"] = timeout_s
        limit_s = timeout_s + WAIT_MARGIN_S
        return await self._live.call("GET", f"/wait/{path}", answer=answer, params=params, timeout_s=limit_s)


def _is_report(answer: httpx.Response) -> bool:
    """Return whether an answer is a health report of an installation with a part down."""
    try:
        return decode(answer.content, answer=records.Health).is_down
    except ApiError:
        return False


def idempotency(key: str | None = None) -> dict[str, str]:
    """The header that makes a call safe to repeat."""
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def present(**fields: Any) -> Json:
    """The fields that are given."""
    return {name: value for name, value in fields.items() if value is not None}


def query(filters: Json) -> Json:
    """Filters as an address carries them: lists separated by commas."""
    return {k: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v for k, v in filters.items()}
