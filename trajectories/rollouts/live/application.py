"""The live service as one ASGI application: waits and sockets that share one hub."""

from __future__ import annotations

import asyncio
import re

from django.conf import settings

from core.database.integers import BIGINT_MAX
from core.telemetry import metrics, request_ids
from trajectories.rollouts.live.consumers import (
    EpisodeConsumer,
    LiveConsumer,
    Refused,
    RunConsumer,
    RunPulseConsumer,
)
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import LiveReader
from trajectories.rollouts.live.waits import Message, Receive, Scope, Send, WaitApp

CLOSED: Message = {"type": "websocket.disconnect", "code": 1000}
SOCKETS_MAX = 2_000
PATHS: tuple[tuple[re.Pattern[str], type[LiveConsumer]], ...] = (
    (re.compile(r"/ws/episodes/([0-9]{1,19})/?"), EpisodeConsumer),
    (re.compile(r"/ws/runs/([0-9]{1,19})/?"), RunConsumer),
    (re.compile(r"/ws/runs/([0-9]{1,19})/pulse/?"), RunPulseConsumer),
)


class Line:
    """The two ends of a socket, as ASGI provides them.

    While the application waits for a message, granian delays a close, and Channels is always waiting. A close
    therefore cancels the wait first, which returns a disconnect once the close has been sent.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._reading: asyncio.Task[Message] | None = None
        self._is_closing = False
        self._closed = asyncio.Event()

    async def receive(self) -> Message:
        self._reading = asyncio.create_task(self._read())
        try:
            return await self._reading
        except asyncio.CancelledError:
            if not self._is_closing:
                raise
        await self._closed.wait()
        return CLOSED

    async def send(self, message: Message) -> None:
        if message["type"] != "websocket.close" or self._reading is None:
            await self._send(message)
            return
        self._is_closing = True
        self._reading.cancel()
        await asyncio.wait({self._reading})
        try:
            await self._send(message)
        finally:
            self._closed.set()

    async def _read(self) -> Message:
        # This runs in a task of its own, because granian's awaitable cannot be cancelled.
        return await self._receive()


class SocketApp:
    """Application that hands each socket to its consumer. ``connected`` is the number of open sockets."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route, line = _route(scope["path"]), Line(receive, send)
        if route is None or self.connected >= SOCKETS_MAX:
            await Refused()(dict(scope), line.receive, line.send)
            return
        consumer, subject_id = route
        self.connected += 1
        try:
            call = {**scope, "hub": self._hub, "subject_id": subject_id}
            await consumer()(call, line.receive, line.send)
        finally:
            self.connected -= 1


def _route(path: str) -> tuple[type[LiveConsumer], int] | None:
    for pattern, consumer in PATHS:
        match = pattern.fullmatch(path)
        if match and int(match[1]) <= BIGINT_MAX:
            return consumer, int(match[1])
    return None


class LiveApplication:
    """The whole live service.

    It needs a server with lifespan support, because the hub belongs to the server's event loop.
    """

    _waits: WaitApp
    _sockets: SocketApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        request_id = request_ids.read_or_generate(scope["headers"])
        request_ids.current.set(request_id)
        if scope["type"] == "websocket":
            await self._sockets(scope, receive, send)
        else:
            await self._waits(scope, receive, _with_id(send, request_id))

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        hub = Hub(reader=LiveReader(database_url=settings.DATABASE_URL), redis_url=settings.REDIS_URL)
        self._waits, self._sockets = WaitApp(hub), SocketApp(hub)
        metrics.LIVE_CLIENTS.labels("wait").set_function(lambda: self._waits.waiting)
        metrics.LIVE_CLIENTS.labels("socket").set_function(lambda: self._sockets.connected)
        await hub.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await hub.stop()
        await send({"type": "lifespan.shutdown.complete"})


def _with_id(send: Send, request_id: str) -> Send:
    async def send_event(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"].append((request_ids.HEADER, request_id.encode()))
        await send(message)

    return send_event
