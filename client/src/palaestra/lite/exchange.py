"""Requests for pages, and their answers: HTTP/1.1 on connections that stay open.

A general client spends more time on a request than its page takes to be parsed; this one knows no more of
the protocol than it takes to open a page or to send a form. Where a proxy is set for an address, the general
client is used.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from palaestra.connections import Connections

PORTS = {"http": 80, "https": 443}
HEAD_MAX_BYTES = 2**17
WITHOUT_BODY = (204, 304)
# What a browser leaves as it is in a path and in a query.
PATH_CHARS = "%/!$&'()*+,;=:@~[]|^"
QUERY_CHARS = PATH_CHARS + "?`{}\\"
Origin = tuple[str, str, int]


class ExchangeError(Exception):
    """There is no answer, and the request may have been received."""


class NotSent(ExchangeError):
    """There is no answer, and the request was not received."""


@dataclass(frozen=True)
class Answer:
    """``headers`` by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Exchange(Protocol):
    """Raises ``ExchangeError`` or ``NotSent``."""

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b""
    ) -> Answer: ...

    async def aclose(self) -> None: ...


def exchange_make(*, count: int, limit_s: float) -> Exchange:
    """At most ``count`` requests at once, each for at most ``limit_s`` seconds."""
    direct = Direct(count=count, limit_s=limit_s)
    return Proxied(direct, count=count, limit_s=limit_s) if getproxies() else direct


class Direct:
    """Requests to servers themselves."""

    def __init__(self, *, count: int, limit_s: float) -> None:
        self._limit_s = limit_s
        self._places = asyncio.Semaphore(count)
        self._idle: dict[Origin, list[Connection]] = defaultdict(list)

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        async with self._places:
            try:
                return await asyncio.wait_for(self._sent(method, url, headers, body), self._limit_s)
            except (
                OSError,
                EOFError,
                ValueError,
                asyncio.LimitOverrunError,
                asyncio.TimeoutError,
            ) as failure:
                raise ExchangeError(repr(failure)) from failure

    async def aclose(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    async def _sent(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        origin, host, target = _parts_of(url)
        connection = await self._connection(origin)
        try:
            connection.write(method, target, {"Host": host, **headers}, body)
            answer = await connection.read()
        except BaseException:
            connection.close()
            raise
        if connection.is_open:
            self._idle[origin].append(connection)
        else:
            connection.close()
        return answer

    async def _connection(self, origin: Origin) -> Connection:
        idle = self._idle[origin]
        while idle:
            connection = idle.pop()
            if connection.is_open:
                return connection
            connection.close()
        scheme, host, port = origin
        try:
            reader, writer = await asyncio.open_connection(
                host, port, ssl=_tls() if scheme == "https" else None, limit=HEAD_MAX_BYTES
            )
        except OSError as failure:
            raise NotSent(repr(failure)) from failure
        return Connection(reader, writer)


class Connection:
    """One connection, for one request after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._is_last = False

    @property
    def is_open(self) -> bool:
        return not (self._is_last or self._reader.at_eof() or self._writer.is_closing())

    def close(self) -> None:
        self._writer.close()

    def write(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        length = {"Content-Length": str(len(body))} if method != "GET" else {}
        lines = [f"{name}: {value}" for name, value in (*headers.items(), *length.items())]
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""])
        self._writer.write(head.encode("latin-1") + body)

    async def read(self) -> Answer:
        status = 100
        while status < 200:  # "go on", before the answer itself
            version, status, headers = _head_of(await self._reader.readuntil(b"\r\n\r\n"))
        content = await self._content(status, headers)
        self._is_last |= version == "HTTP/1.0" or headers.get("connection", "").lower() == "close"
        return Answer(status, headers, content)

    async def _content(self, status: int, headers: Mapping[str, str]) -> bytes:
        if status in WITHOUT_BODY:
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunks()
        if "content-length" in headers:
            return await self._reader.readexactly(int(headers["content-length"]))
        self._is_last = True
        return await self._reader.read()

    async def _chunks(self) -> bytes:
        chunks: list[bytes] = []
        while length := int((await self._reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            chunks.append(await self._reader.readexactly(length))
            await self._reader.readexactly(2)
        while await self._reader.readuntil(b"\r\n") != b"\r\n":
            pass  # headers after the content
        return b"".join(chunks)


class Proxied:
    """Requests through the proxies that the environment names, and to the servers for which it names none."""

    def __init__(self, direct: Direct, *, count: int, limit_s: float) -> None:
        self._direct = direct
        self._http = Connections(count=count, timeout=httpx.Timeout(limit_s, pool=None))

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        parts = urlsplit(url)
        if parts.scheme not in getproxies() or proxy_bypass(parts.netloc):
            return await self._direct.send(method, url, headers=headers, body=body)
        try:
            answer = await self._http.request(method, url, headers=dict(headers), content=body)
        except httpx.ConnectError as failure:
            raise NotSent(repr(failure)) from failure
        except httpx.TransportError as failure:
            raise ExchangeError(repr(failure)) from failure
        return Answer(answer.status_code, answer.headers, answer.content)

    async def aclose(self) -> None:
        await self._direct.aclose()
        await self._http.aclose()


@lru_cache(maxsize=4096)
def normalised(url: str) -> str:
    """An address as a browser requests it: no "..", and what cannot stand in one is encoded."""
    parts = urlsplit(url)
    path, query = quote(parts.path or "/", safe=PATH_CHARS), quote(parts.query, safe=QUERY_CHARS)
    plain = urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
    return urlunsplit((*urlsplit(urljoin(plain, path))[:3], query, parts.fragment))


@lru_cache(maxsize=4096)
def _parts_of(url: str) -> tuple[Origin, str, str]:
    """The server of an address, its name in a request, and what is asked of it."""
    parts = urlsplit(url)
    origin = (parts.scheme, parts.hostname or "", parts.port or PORTS[parts.scheme])
    host = parts.netloc.rpartition("@")[2]
    return origin, host, f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"


def _head_of(head: bytes) -> tuple[str, int, dict[str, str]]:
    """The version, the status and the headers of an answer."""
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    version, _, status = first.partition(" ")
    pairs = (line.partition(":") for line in lines)
    return version, int(status[:3]), {name.lower(): value.strip() for name, _, value in pairs}


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()
