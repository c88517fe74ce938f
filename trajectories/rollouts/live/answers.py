"""Responses of a bare ASGI application: JSON, the API's error format, no work for callers that hang up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, NamedTuple

import msgspec

from core.errors import GymError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Answer(NamedTuple):
    """``body`` is JSON."""

    status: int
    body: bytes
    retry_after_s: int | None = None


def answer_of(error: GymError) -> Answer:
    return Answer(error.status, msgspec.json.encode(error.as_body()), error.retry_after_s)


async def answer_unless_gone(work: Coroutine[Any, Any, Answer], receive: Receive) -> Answer | None:
    """The answer, or None as soon as the caller hangs up, which cancels the work."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


async def answer_send(answer: Answer, send: Send, *, has_body: bool) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(answer.body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if answer.retry_after_s is not None:
        headers.append((b"retry-after", str(answer.retry_after_s).encode()))
    if answer.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if answer.status == 405:
        # The request's body is left unread, after which the server closes the connection.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body if has_body else b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
