"""The ASGI application that runs a WSGI application on threads: requests complete, responses without waiting.

A lane's thread gets a request only once its body is complete, and hands its response to the event loop, which
sends it however slowly the client reads. A streamed response is made block by block, each once the client has
taken the one before, so that a slow reader holds neither a thread nor a database connection.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope
from django.db import connections

from core.api import responses as api
from core.errors import GymError
from core.telemetry import metrics, request_ids
from gymsite.door.bodies import Body, BodyReader, Disconnected
from gymsite.door.environ import environ_make
from gymsite.door.lanes import Lane

logger = logging.getLogger(__name__)

Application = Callable[..., Iterable[bytes]]
LaneOf = Callable[[str, str], str]
CallerOf = Callable[[HTTPScope], Hashable]
# A streamed response sends a block as soon as it has this many bytes, or after this time.
BLOCK_BYTES = 512 * 1024
BLOCK_S = 0.2
# Streams that are known to be shorter (pictures, style sheets) are sent like any other response.
WHOLE_MAX_BYTES = 1024 * 1024
STREAM_RETRY_S = 5


@dataclass
class Answer:
    """A response; ``rest`` is the part that a stream has yet to make."""

    status: int = 500
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""
    rest: Stream | None = None

    def begin(self, status: str, headers: list[tuple[str, str]], _exc_info: object = None) -> None:
        """Note status and headers, as WSGI's ``start_response``."""
        self.status = int(status[:3])
        self.headers = tuple(
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        )

    @property
    def length(self) -> int | None:
        """Length of the body in bytes, where the application states it."""
        length = dict(self.headers).get(b"content-length", b"")
        return int(length) if length.isdigit() else None


@dataclass
class Call:
    """A request and the way back to its client; it is counted when its response begins."""

    scope: HTTPScope
    to_client: ASGISendCallable
    request_id: str
    began_at: float = 0.0  # when the request was complete
    route: str = metrics.UNROUTED

    async def begin(self, answer: Answer) -> None:
        seconds = time.perf_counter() - self.began_at if self.began_at else None
        metrics.REQUESTS.note(
            route=self.route, method=self.scope["method"], status=answer.status, seconds=seconds
        )
        await self.to_client(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": (*answer.headers, (request_ids.HEADER, self.request_id.encode())),
                "trailers": False,
            }
        )

    async def send(self, answer: Answer) -> None:
        await self.begin(answer)
        await self.part_send(answer.body, is_last=True)

    async def part_send(self, part: bytes, *, is_last: bool = False) -> None:
        await self.to_client({"type": "http.response.body", "body": part, "more_body": not is_last})


class Stream:
    """Blocks of a streamed response, for one thread at a time."""

    def __init__(self, response: Iterable[bytes], *, request_id: str) -> None:
        self._response = response
        self._request_id = request_id
        self._parts: Iterator[bytes] = iter(response)

    def block(self) -> bytes:
        """Return the next block; empty at the end. Its database connection is given back."""
        request_ids.current.set(self._request_id)
        parts, size, deadline = [], 0, time.monotonic() + BLOCK_S
        try:
            for part in self._parts:
                parts.append(part)
                size += len(part)
                if size >= BLOCK_BYTES or (size and time.monotonic() > deadline):
                    break
        finally:
            connections.close_all()
        return b"".join(parts)

    def close(self) -> None:
        _close(self._response)
        connections.close_all()


class Gateway:
    """``lane_of`` names the lane of a method and path; ``lanes`` has them, and ``stream`` for streams.

    ``caller_of`` says whose turn in the lane a request takes.
    """

    def __init__(
        self,
        application: Application,
        *,
        lanes: Mapping[str, Lane],
        lane_of: LaneOf,
        caller_of: CallerOf,
        bodies: BodyReader,
        exports_max: int,
        stall_s: float,
    ) -> None:
        self.application = application
        self.lanes = lanes
        self.lane_of = lane_of
        self.caller_of = caller_of
        self.bodies = bodies
        self.exports_max = exports_max
        self.stall_s = stall_s
        self.exports = 0

    async def __call__(self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        call = Call(scope, send, request_ids.read_or_generate(scope["headers"]))
        request_ids.current.set(call.request_id)
        try:
            self.bodies.announced_check(_announced_bytes(scope))
            body = await self.bodies.read(receive)
        except Disconnected:
            return
        except GymError as error:
            await call.send(_refusal(error))
            return
        call.began_at = time.perf_counter()
        try:
            lane = self.lanes[self.lane_of(scope["method"], scope["path"])]
            answer = await lane.run(partial(self._respond, call, body), caller=self.caller_of(scope))
        except GymError as error:
            answer = _refusal(error)
        finally:
            self.bodies.release(body)
        if answer.rest is None:
            await call.send(answer)
        else:
            await self._stream(call, answer, answer.rest, receive)

    def _respond(self, call: Call, body: Body) -> Answer:
        """Call the application, in a thread of a lane."""
        request_ids.current.set(call.request_id)
        answer, environ, is_head = Answer(), environ_make(call.scope, body), call.scope["method"] == "HEAD"
        response = self.application(environ, answer.begin)
        call.route = environ.get(metrics.ROUTE, metrics.UNROUTED)
        if not is_head and not _is_whole(response, answer):
            answer.rest = Stream(response, request_id=call.request_id)
            connections.close_all()  # the stream is made in other threads
            return answer
        try:
            if not is_head:
                answer.body = b"".join(response)
        finally:
            _close(response)
        return answer

    async def _stream(self, call: Call, answer: Answer, stream: Stream, receive: ASGIReceiveCallable) -> None:
        """Send blocks as the client takes them. An exception cuts the connection: no part looks whole."""
        lane = self.lanes["stream"]
        gone = asyncio.ensure_future(receive())
        is_export = answer.length is None  # files, of known length, are not limited: pages show them
        try:
            if is_export and self.exports >= self.exports_max:
                await call.send(_refusal(_too_many(self.exports_max)))
                return
            self.exports += is_export
            try:
                await self._blocks(call, answer, partial(lane.start, stream.block), gone)
            except TimeoutError:
                logger.warning("a response was cut off: its client took nothing for %g s", self.stall_s)
            finally:
                self.exports -= is_export
        finally:
            gone.cancel()
            await lane.start(stream.close)

    async def _blocks(
        self,
        call: Call,
        answer: Answer,
        block_make: Callable[[], asyncio.Future[bytes]],
        gone: asyncio.Future[Any],
    ) -> None:
        try:
            block = await block_make()
        except Exception as error:
            expected = api.as_gym_error(error)
            if expected is None:
                raise
            await call.send(_refusal(expected))
            return
        await call.begin(answer)
        while block and not gone.done():
            async with asyncio.timeout(self.stall_s):
                await call.part_send(block)
            block = await block_make()
        if not gone.done():
            await call.part_send(b"", is_last=True)


def _is_whole(response: Iterable[bytes], answer: Answer) -> bool:
    """Return whether all of a response may be held in memory: it is there already, or known to be small."""
    if not getattr(response, "streaming", False):
        return True
    return answer.length is not None and answer.length <= WHOLE_MAX_BYTES


def _close(response: Iterable[bytes]) -> None:
    close = getattr(response, "close", None)
    if close is not None:
        close()


def _refusal(error: GymError) -> Answer:
    body = msgspec.json.encode(error.as_body())
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if error.retry_after_s is not None:
        headers.append((b"retry-after", str(error.retry_after_s).encode()))
    return Answer(status=error.status, headers=tuple(headers), body=body)


def _too_many(limit: int) -> GymError:
    message = (
        f"{limit} exports are running here; send the same request again later (setting EXPORTS_AT_ONCE)."
    )
    return GymError("too_many_exports", message, status=429, retry_after_s=STREAM_RETRY_S)


def _announced_bytes(scope: HTTPScope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value)  # the parser takes digits alone
    return 0
