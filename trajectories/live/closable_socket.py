"""A socket that can be closed while the application waits for a message."""

from __future__ import annotations

import asyncio

from trajectories.live.answers import Message, Receive, Send

CLOSED: Message = {"type": "websocket.disconnect", "code": 1000}


class Line:
    """The two ends of a socket, as ASGI has them.

    granian delays a close while the application waits for a message, and Channels always does. So the wait is
    cancelled first, and returns a disconnect once the close has been sent.
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
        return await self._receive()  # in a task: granian's own awaitable cannot be cancelled
