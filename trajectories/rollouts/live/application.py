"""Live as one ASGI application: the waits and the sockets on top of one hub."""

from __future__ import annotations

from django.conf import settings

from core import metrics, request_ids
from trajectories.rollouts.live.answers import Message, Receive, Scope, Send
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import LiveReader
from trajectories.rollouts.live.sockets import SocketApp
from trajectories.rollouts.live.waits import WaitApp


class LiveApplication:
    """Needs a server with lifespan support: the hub belongs to the serving event loop."""

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
    async def send_named(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"].append((request_ids.HEADER, request_id.encode()))
        await send(message)

    return send_named
