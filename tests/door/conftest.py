"""A door with short time limits in front of a small application, in threads of the test."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connections
from uvicorn import Config

from gymsite.door.bodies import BodyReader
from gymsite.door.connections import Patience, Server, connection_class
from gymsite.door.gateway import Gateway
from gymsite.door.lanes import Lane
from gymsite.door.server import client_named

WAIT_S = 10.0
PROXY = "127.0.0.2"
PATIENCE = Patience(head_s=1.0, head_bytes=20_000, body_s=30.0, body_rate=10_000, grace_s=1.0, stall_s=4.0)


class Blocks:
    """A streamed response like Django's, which has ``streaming`` and must be closed."""

    streaming = True

    def __init__(self, parts: Iterable[bytes], closed: threading.Event) -> None:
        self._parts = iter(parts)
        self._closed = closed

    def __iter__(self) -> Iterator[bytes]:
        return self._parts

    def close(self) -> None:
        self._closed.set()


@dataclass
class Door:
    """A door for tests.

    ``handlers`` answer by path; they get the environment and return status, headers and body.
    """

    port: int = 0
    handlers: dict[str, Callable[[dict[str, Any]], Any]] = field(default_factory=dict)
    environs: list[dict[str, Any]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    def application(self, environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        self.environs.append(environ)
        handler = self.handlers.get(environ["PATH_INFO"], echo)
        status, headers, body = handler(environ)
        start(status, headers)
        return [body] if isinstance(body, bytes) else Blocks(body, self.closed)

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S, source_address=(source, 0))

    def ask(self, request: bytes, *, source: str = "127.0.0.1") -> bytes:
        """Send bytes, and return everything that is read until the server closes the connection."""
        with self.connect(source) as client:
            client.sendall(request)
            return everything(client)


def echo(environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))
    return "200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))], body


def everything(client: socket.socket) -> bytes:
    """Return everything that the server sends until it closes the connection."""
    received = bytearray()  # appending to bytes would copy megabytes each time
    with contextlib.suppress(ConnectionResetError):
        while data := client.recv(1 << 16):
            received += data
    return bytes(received)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    monkeypatch.setattr(connections, "close_all", lambda: None)  # threads here have no such attribute
    made = Door()
    lanes = {name: Lane(name, threads=1) for name in ("hot", "slow", "stream")}
    gateway = Gateway(
        made.application,
        lanes=lanes,
        caller_of=lambda scope: dict(scope["headers"]).get(b"x-caller"),
        lane_of=lambda _method, path: "slow" if path.startswith("/slow") else "hot",
        bodies=BodyReader(max_bytes=1_000_000, memory_bytes=1_000, total_bytes=1_500_000),
        exports_max=2,
        stall_s=4.0,
    )
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    made.port = listener.getsockname()[1]
    config = Config(
        client_named(gateway, proxies=[PROXY, "127.0.9.0/24"]),
        http=connection_class(PATIENCE),  # type: ignore[arg-type]
        loop="uvloop",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
    )
    server = Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield made
    server.should_exit = server.force_exit = True
    thread.join(WAIT_S)
