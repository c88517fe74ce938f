"""HTTP over one connection pool, with retries for calls that are safe to repeat."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeVar

import httpx
import msgspec

from palaestra.errors import ApiError, Unreachable
from palaestra.http import backoff

T = TypeVar("T")
logger = logging.getLogger(__name__)

CONNECTIONS = 32
RETRIES = 6
RESTART_RETRIES = 10
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504, 507})
NOT_RETRIED_CODES = frozenset({"at_capacity"})
CONNECT_TIMEOUT_S = 5.0
REPORTED_AFTER_S = 3.0


class _ErrorBody(msgspec.Struct):
    code: str = ""
    message: str = ""
    fields: dict[str, list[str]] = {}


class _Error(msgspec.Struct):
    error: _ErrorBody


class Absence:
    """The absence of a server, which is logged once if it lasts and once when it ends."""

    def __init__(self, address: str, now: Callable[[], float] = time.monotonic) -> None:
        self._address = address.rstrip("/")
        self._now = now
        self._since: float | None = None
        self._is_reported = False

    def note_failure(self, failure: Exception) -> None:
        """Note an attempt that got no answer and will be repeated."""
        now = self._now()
        self._since = now if self._since is None else self._since
        if not self._is_reported and now - self._since >= REPORTED_AFTER_S:
            self._is_reported = True
            message = "No answer from %s for %.0f s (%r). Calls are repeated."
            logger.warning(message, self._address, now - self._since, failure)

    def note_answer(self) -> None:
        """Note an answer, which ends the absence."""
        if self._is_reported:
            logger.warning("%s answers again.", self._address)
        self._since, self._is_reported = None, False


class Transport:
    """Calls to one server with one key; ``timeout_s`` limits a single attempt."""

    def __init__(self, *, base_url: str, key: str, timeout_s: float = 30.0, retries: int = RETRIES) -> None:
        self.retries = retries
        self._has_answered = False
        self._absence = Absence(base_url)
        self._http = Connections(
            base_url=base_url.rstrip("/"),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S, pool=None),
        )

    @property
    def _retries(self) -> int:
        """Number of retries; more for a server that has answered before, which is probably restarting."""
        return self.retries + self._has_answered * RESTART_RETRIES

    async def aclose(self) -> None:
        await self._http.aclose()

    async def call(
        self, method: str, path: str, *, answer: type[T], body: object = None, **options: Any
    ) -> T:
        """Make a call as ``send`` does, and decode the JSON of the response into ``answer``.

        Raises as ``send`` does.
        """
        if body is not None:
            options["content"] = msgspec.json.encode(body)
            options["headers"] = {"Content-Type": "application/json", **options.get("headers", {})}
        return decode((await self.send(method, path, **options)).content, answer=answer)

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        is_repeatable: bool = True,
        timeout_s: float | None = None,
        takes: Callable[[httpx.Response], bool] | None = None,
        **request: Any,
    ) -> httpx.Response:
        """Return the response to a call, retried after connection errors, 5xx and 429 if that is safe.

        ``request`` may have ``content`` and ``headers``; ``takes`` accepts responses whose status is that of
        a refusal although they are not refusals. Raises ``ApiError`` or ``Unreachable``.
        """
        request["params"] = drop_missing(**(params or {}))
        if timeout_s is not None:
            request["timeout"] = timeout_s
        retries = self._retries if is_repeatable else 0
        for attempt in itertools.count():
            retry_after_s = None
            try:
                response = await self._http.request(method, path, **request)
            except httpx.TransportError as failure:
                if attempt >= retries:
                    raise self._unreachable(f"{method} {path}", failure) from failure
                self._absence.note_failure(failure)
            else:
                self._absence.note_answer()
                if response.status_code < 400 or (takes and takes(response)):
                    self._has_answered = True
                    break
                retry_after_s = _check_retry(response, is_last=attempt >= retries)
            await _pause(attempt, retry_after_s)
        return response

    async def lines(self, path: str, *, params: Mapping[str, Any] | None = None) -> AsyncIterator[bytes]:
        """Yield the lines of an NDJSON stream as they arrive, in constant memory."""
        rest = b""
        async for part in self.parts(path, params=params):
            *full, rest = (rest + part).split(b"\n")
            for line in full:
                if line.strip():
                    yield line
        if rest.strip():
            yield rest

    async def parts(self, path: str, *, params: Mapping[str, Any] | None = None) -> AsyncIterator[bytes]:
        """Yield the bytes of a stream as they arrive, in constant memory; the call is retried until it
        begins.

        Raises ``ApiError``, or ``Unreachable`` if there is no answer or the stream breaks.
        """
        has_begun = False
        for attempt in itertools.count():
            retry_after_s = None
            is_last = attempt >= self._retries
            try:
                async with self._http.stream("GET", path, params=drop_missing(**(params or {}))) as response:
                    self._absence.note_answer()
                    if response.status_code < 400:
                        has_begun = True
                        async for part in response.aiter_bytes():
                            yield part
                        return
                    await response.aread()
                retry_after_s = _check_retry(response, is_last=is_last)
            except httpx.TransportError as failure:
                if has_begun:
                    raise Unreachable(f"The stream {path} broke: {failure!r}") from failure
                if is_last:
                    raise self._unreachable(f"GET {path}", failure) from failure
                self._absence.note_failure(failure)
            await _pause(attempt, retry_after_s)

    def _unreachable(self, call: str, failure: httpx.TransportError) -> Unreachable:
        where = str(self._http.base_url).rstrip("/")
        return Unreachable(f"No answer from {where} to {call}: {failure!r}")


def _check_retry(response: httpx.Response, *, is_last: bool) -> float | None:
    """Return the pause that a refusal asks for, or None. Raises ``ApiError`` if the refusal is final."""
    error = read_error(response)
    if is_last or response.status_code not in RETRIED_STATUSES or error.code in NOT_RETRIED_CODES:
        raise error
    return backoff.parse_retry_after(response.headers)


async def _pause(attempt: int, retry_after_s: float | None) -> None:
    pause = backoff.compute_pause_s(attempt, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
    await asyncio.sleep(retry_after_s or pause)


def decode(content: bytes, *, answer: type[T]) -> T:
    """Decode JSON into ``answer``. Raises ``ApiError`` ``unexpected_answer`` for another shape."""
    try:
        return msgspec.json.decode(content, type=answer)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise ApiError(status=200, code="unexpected_answer", message=str(failure)) from failure


def read_error(response: httpx.Response) -> ApiError:
    """Return the server's error, or an error with just the status if a proxy answered."""
    try:
        body = msgspec.json.decode(response.content, type=_Error).error
    except (msgspec.ValidationError, msgspec.DecodeError):
        body = _ErrorBody(code="http_error", message=_describe_foreign(response))
    return ApiError(status=response.status_code, code=body.code, message=body.message, fields=body.fields)


def _describe_foreign(response: httpx.Response) -> str:
    """Describe a response that is not from the API."""
    if "html" not in response.headers.get("content-type", ""):
        return response.text[:200]
    return f"{response.url} is a web page, not the API. Is this the address of the lab, or the arena's?"


def drop_missing(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


class Connections(httpx.AsyncClient):
    """An HTTP client with at most ``count`` concurrent requests; others wait for a semaphore.

    Without the semaphore they would wait in httpcore's pool, which scans all connections for each waiting
    request whenever a request begins or ends. With hundreds waiting, the scans take longer than the requests.
    """

    def __init__(self, *, count: int = CONNECTIONS, **options: Any) -> None:
        limits = httpx.Limits(max_connections=count, max_keepalive_connections=count)
        super().__init__(limits=limits, **options)
        self._slots = asyncio.Semaphore(count)

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        async with self._slots:
            return await super().send(request, **options)
