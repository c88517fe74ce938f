"""A load generator in one thread, with keep-alive connections that send a request after each answer."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

READ_BYTES = 1 << 20
WAIT_S = 30.0


@dataclass
class Result:
    """The answers of one measurement; ``latencies_ms`` are in the order of arrival."""

    answers: int = 0
    seconds: float = 0.0
    bad: dict[int, int] = field(default_factory=dict)
    latencies_ms: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.answers / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def request_bytes(
    method: str, url: str, *, key: str | None = None, body: object = None, form: str = ""
) -> bytes:
    """Return the bytes of one HTTP/1.1 request."""
    parts = urlsplit(url)
    content = form.encode() if form else (b"" if body is None else msgspec.json.encode(body))
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    lines = [
        f"{method} {parts.path}{'?' + parts.query if parts.query else ''} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"Content-Length: {len(content)}",
        f"Content-Type: {kind}",
        *([f"Authorization: Bearer {key}"] if key else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class Connection:
    """A socket, and the answer that is being read from it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=WAIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> tuple[int, bytes] | None:
        """Read from the socket; return status and body, or None if the answer is not complete yet."""
        chunk = self.socket.recv(READ_BYTES)
        if not chunk:
            raise ConnectionError("the server closed the connection")
        self._buffer += chunk
        head, separator, rest = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        length = _content_length(head)
        if len(rest) < length:
            return None
        self._buffer = rest[length:]
        return int(head[9:12]), rest[:length]

    def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send one request and wait for its answer."""
        self.send(request)
        while True:
            answer = self.receive()
            if answer is not None:
                return answer

    def close(self) -> None:
        self.socket.close()


def _content_length(head: bytes) -> int:
    lowered = head.lower()
    place = lowered.find(b"content-length:")
    if place < 0:
        return 0
    end = lowered.find(b"\r\n", place)
    return int(lowered[place + 15 : end if end > 0 else None])


def hammer(url: str, requests: Iterator[bytes], *, connections: int, seconds: float) -> Result:
    """Keep ``connections`` busy with ``requests`` for ``seconds``, or until there are no more requests."""
    pool = [Connection(url) for _ in range(connections)]
    result = Result()
    with selectors.DefaultSelector() as selector:
        begun = time.perf_counter()
        busy = sum(_start(selector, connection, requests) for connection in pool)
        while busy:
            for ready, _ in selector.select(WAIT_S):
                busy += _advance(
                    selector, ready.data, requests, result, is_over=time.perf_counter() - begun > seconds
                )
        result.seconds = time.perf_counter() - begun
    for connection in pool:
        connection.close()
    return result


def _start(selector: selectors.BaseSelector, connection: Connection, requests: Iterator[bytes]) -> int:
    request = next(requests, None)
    if request is None:
        return 0
    selector.register(connection.socket, selectors.EVENT_READ, connection)
    connection.send(request)
    return 1


def _advance(
    selector: selectors.BaseSelector,
    connection: Connection,
    requests: Iterator[bytes],
    result: Result,
    *,
    is_over: bool,
) -> int:
    """Read what has arrived; return -1 if the connection has nothing left to do."""
    answer = connection.receive()
    if answer is None:
        return 0
    result.answers += 1
    result.latencies_ms.append((time.perf_counter() - connection.sent_at) * 1000)
    if answer[0] >= 400:
        result.bad[answer[0]] = result.bad.get(answer[0], 0) + 1
    request = None if is_over else next(requests, None)
    if request is None:
        selector.unregister(connection.socket)
        return -1
    connection.send(request)
    return 0


@dataclass
class Patient:
    """A client that waits between an answer and its next request, like an agent that thinks."""

    connection: Connection
    due: float


def paced(url: str, requests: Iterator[bytes], *, clients: int, think_s: float) -> Result:
    """Run ``clients`` in parallel; each sends a request, gets the answer, waits ``think_s``, and repeats.

    Their starts are spread over one wait, so that they do not run in step.
    """
    begun = time.perf_counter()
    pool = [Patient(Connection(url), begun + think_s * place / clients) for place in range(clients)]
    waiting, result = list(pool), Result()
    with selectors.DefaultSelector() as selector:
        while waiting or selector.get_map():
            now = time.perf_counter()
            for client in [client for client in waiting if client.due <= now]:
                waiting.remove(client)
                _start(selector, client.connection, requests)
            if not waiting and not selector.get_map():
                break
            soonest = min((client.due for client in waiting), default=now + WAIT_S)
            for ready, _ in selector.select(max(0.0, soonest - time.perf_counter())):
                if _advance(selector, ready.data, iter(()), result, is_over=True):
                    client = next(one for one in pool if one.connection is ready.data)
                    client.due = time.perf_counter() + think_s
                    waiting.append(client)
    result.seconds = time.perf_counter() - begun
    for client in pool:
        client.connection.close()
    return result


def repeat(make: Callable[[int], bytes], count: int) -> Iterator[bytes]:
    """Return an iterator over requests that are made beforehand, so that making them is not measured."""
    return iter([make(number) for number in range(count)])
