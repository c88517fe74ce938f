"""HTTP over one connection pool, with retries only for calls that are safe to repeat."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeVar

import httpx
import msgspec

from palaestra.errors import ApiError, Unreachable

T = TypeVar("T")

RETRIES = 6
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
NOT_RETRIED_CODES = frozenset({"at_capacity"})
CONNECT_TIMEOUT_S = 5.0


class _ErrorBody(msgspec.Struct):
    code: str = ""
    message: str = ""
    fields: dict[str, list[str]] = {}


class _Error(msgspec.Struct):
    error: _ErrorBody


class Transport:
    """One server, one key, one pool. ``timeout_s`` bounds one attempt."""

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        timeout_s: float = 30.0,
        retries: int = RETRIES,
        connections: int = 64,
    ) -> None:
        self.retries = retries
        self._http = httpx.AsyncClient(
            base_url=base_url.rstrip("/"),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S, pool=None),
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        *,
        answer: type[T],
        body: object = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool = True,
        timeout_s: float | None = None,
    ) -> T:
        """Send one call and decode its JSON into ``answer``. Raises ``ApiError`` or ``Unreachable``."""
        content = None if body is None else msgspec.json.encode(body)
        sent = {"Content-Type": "application/json", **(headers or {})} if content is not None else headers
        response = await self.send(
            method,
            path,
            content=content,
            params=params,
            headers=sent,
            is_repeatable=is_repeatable,
            timeout_s=timeout_s,
        )
        return decode(response.content, answer=answer)

    async def send(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool = True,
        timeout_s: float | None = None,
    ) -> httpx.Response:
        """The answer to one call, retried after connection errors, 5xx and 429 when that is safe."""
        query = {k: v for k, v in (params or {}).items() if v is not None}
        extra: dict[str, Any] = {"timeout": timeout_s} if timeout_s is not None else {}
        tries = self.retries + 1 if is_repeatable else 1
        for attempt in range(tries):
            is_last = attempt == tries - 1
            try:
                response = await self._http.request(
                    method, path, content=content, params=query, headers=headers, **extra
                )
            except httpx.TransportError as failure:
                if is_last:
                    raise Unreachable(f"No answer to {method} {path}: {failure!r}") from failure
                await asyncio.sleep(_pause_s(attempt))
                continue
            if response.status_code < 400:
                return response
            error = error_of(response)
            if is_last or response.status_code not in RETRIED_STATUSES or error.code in NOT_RETRIED_CODES:
                raise error
            await asyncio.sleep(_retry_after_s(response) or _pause_s(attempt))
        raise Unreachable(f"{method} {path} was not attempted: retries is {self.retries}")

    async def lines(self, path: str, *, params: Mapping[str, Any] | None = None) -> AsyncIterator[bytes]:
        """The lines of an NDJSON stream as they arrive, in constant memory."""
        query = {k: v for k, v in (params or {}).items() if v is not None}
        try:
            async with self._http.stream("GET", path, params=query) as response:
                if response.status_code >= 400:
                    await response.aread()
                    raise error_of(response)
                rest = b""
                async for chunk in response.aiter_bytes():
                    *full, rest = (rest + chunk).split(b"\n")
                    for line in full:
                        if line.strip():
                            yield line
                if rest.strip():
                    yield rest
        except httpx.TransportError as failure:
            raise Unreachable(f"The stream {path} broke: {failure!r}") from failure


def decode(content: bytes, *, answer: type[T]) -> T:
    """JSON bytes as ``answer``; another shape raises ``ApiError`` ``unexpected_answer``."""
    try:
        return msgspec.json.decode(content, type=answer)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise ApiError(status=200, code="unexpected_answer", message=str(failure)) from failure


def error_of(response: httpx.Response) -> ApiError:
    """The server's error in its one shape, or the bare status when a proxy answered."""
    try:
        body = msgspec.json.decode(response.content, type=_Error).error
    except (msgspec.ValidationError, msgspec.DecodeError):
        body = _ErrorBody(code="http_error", message=response.text[:200])
    return ApiError(status=response.status_code, code=body.code, message=body.message, fields=body.fields)


def _pause_s(attempt: int) -> float:
    """Pauses that double, with jitter, so that many clients do not return at once."""
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * float(2**attempt))
    return longest * random.uniform(0.5, 1.0)


def _retry_after_s(response: httpx.Response) -> float | None:
    try:
        return min(float(response.headers.get("Retry-After", "")), 60.0)
    except ValueError:
        return None
