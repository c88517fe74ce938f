"""Connections that are dropped if their clients are too slow, and the server that checks them.

uvicorn and granian do not limit the time that a client may take to send a request. All connections are
checked once a second, which does not slow down any request.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

TICKS_PER_LOOK = 10  # uvicorn calls on_tick every 0.1 s


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Limits for a client. ``body_rate``, in bytes per second, applies to a body after ``grace_s``."""

    head_s: float
    head_bytes: int
    body_s: float
    body_rate: float
    grace_s: float
    stall_s: float


class Connection(HttpToolsProtocol):
    """A client's connection. ``began_at`` is when the current request began, or None between requests."""

    patience: Patience
    began_at: float | None = None
    is_in_head = True
    received = 0  # bytes of the current request
    unsent = 0  # bytes of the response that were unsent at the last check
    unsent_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.access_log = False  # addresses contain episode tokens, which must not be logged
        self.began_at = self.loop.time()

    def data_received(self, data: bytes) -> None:
        if self.began_at is None:
            self.began_at = self.loop.time()
        self.received += len(data)
        super().data_received(data)
        if self.is_in_head and self.received > self.patience.head_bytes:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        if self.began_at is None:  # the next of several pipelined requests
            self.began_at = self.loop.time()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.is_in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.began_at, self.is_in_head, self.received = None, True, 0
        super().on_message_complete()

    def look(self, now: float) -> None:
        """Drop the client if it sends or reads too slowly."""
        if self.began_at is not None and self._is_waiting_for_us():
            self.began_at, self.received = now, 0
        if self._is_slow_sender(now):
            self.refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif self._is_slow_reader(now):
            self.transport.abort()

    def refuse(self, status: HTTPStatus) -> None:
        """Answer the current request, unless its answer has begun, and close the connection."""
        is_answered = not self.is_in_head and self.cycle.response_started
        if is_answered or self._is_waiting_for_us() or self.transport.is_closing():
            self.transport.abort()
            return
        self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()

    def _is_waiting_for_us(self) -> bool:
        """Return whether the client waits for us: reading is paused, or the previous answer is unfinished."""
        is_answering = self.is_in_head and self.cycle is not None and not self.cycle.response_complete
        return bool(self.flow.read_paused) or is_answering

    def _is_slow_sender(self, now: float) -> bool:
        if self.began_at is None:
            return False
        waited, patience = now - self.began_at, self.patience
        if self.is_in_head:
            return waited > patience.head_s
        is_slow = waited > patience.grace_s and self.received < waited * patience.body_rate
        return is_slow or waited > patience.body_s

    def _is_slow_reader(self, now: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        is_open = self.cycle is not None and not self.cycle.response_complete
        is_refilled = is_open and not self.transport.is_closing()  # the gateway itself watches its streams
        if is_refilled or not unsent or unsent < self.unsent or not self.unsent:
            self.unsent_since = now
        self.unsent = unsent
        return bool(unsent) and now - self.unsent_since > self.patience.stall_s


class Server(uvicorn.Server):
    """Server that checks all connections once a second."""

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_PER_LOOK == 0:
            now = asyncio.get_running_loop().time()
            connections: list[Any] = list(self.server_state.connections)
            for connection in connections:
                connection.look(now)
        return await super().on_tick(counter)


def connection_class(patience: Patience) -> type[Connection]:
    """Derive a connection class with these limits."""
    return type("PatientConnection", (Connection,), {"patience": patience})
