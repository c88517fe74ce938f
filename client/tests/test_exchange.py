"""Requests of pages read without a browser, by servers that answer as they please."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from palaestra.pages.lite.exchange import Exchange, ExchangeError, NotSent, normalise_url
from ports import free_port

LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Name: a b\r\n\r\npage"
ANSWERS = {
    "with a length": [LENGTH, LENGTH],
    "in chunks": [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\npa\r\n",
        b"2\r\nge\r\n0\r\nX-After: x\r\n\r\n",
    ],
    "after going on": [b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH],
    "up to its end": [b"HTTP/1.0 200 OK\r\n\r\npa", b"ge", b""],
}
BROKEN = {
    "no answer": [b""],
    "cut off": [LENGTH[:-1], b""],
    "not HTTP": [b"hello\r\n\r\n"],
    "a length that is none": [b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"],
    "silence": [],
}


@asynccontextmanager
async def served(parts: list[bytes], requests: list[bytes]) -> AsyncIterator[str]:
    """A server that gives these parts as its answer to every request, and ends where one is empty."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.read(2**16):
            requests.append(request)
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)
            if b"" in parts:
                break
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("kind", ANSWERS)
async def test_an_answer_is_read_whole_whatever_marks_its_end(kind: str) -> None:
    exchange, requests = Exchange(count=1, limit_s=5.0), list[bytes]()
    async with served(ANSWERS[kind][:1] if kind == "with a length" else ANSWERS[kind], requests) as address:
        for _ in range(2):
            answer = await exchange.send("POST", f"{address}/x?q=1", headers={"Content-Type": "b"}, body=b"c")
            assert (answer.status, answer.content) == (200, b"page")
        await exchange.aclose()
    host = address.removeprefix("http://").encode()
    sent = b"POST /x?q=1 HTTP/1.1\r\nHost: " + host + b"\r\nContent-Type: b\r\nContent-Length: 1\r\n\r\nc"
    assert requests == [sent, sent]


@pytest.mark.parametrize("kind", BROKEN)
async def test_an_answer_that_breaks_is_an_error(kind: str) -> None:
    exchange = Exchange(count=1, limit_s=0.3)
    async with served(BROKEN[kind], []) as address:
        with pytest.raises(ExchangeError) as raised:
            await exchange.send("GET", f"{address}/", headers={})
        await exchange.aclose()
    assert not isinstance(raised.value, NotSent)


async def test_a_request_that_nobody_receives_was_not_sent() -> None:
    exchange = Exchange(count=1, limit_s=5.0)
    with pytest.raises(NotSent):
        await exchange.send("GET", f"http://127.0.0.1:{free_port()}/", headers={})
    await exchange.aclose()


async def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    exchange, requests = Exchange(count=1, limit_s=5.0), list[bytes]()
    port = free_port()
    for _ in range(2):
        server = await asyncio.start_server(_once(requests), "127.0.0.1", port)
        async with server:
            answer = await exchange.send("GET", f"http://127.0.0.1:{port}/", headers={})
            assert answer.headers["x-name"] == "a b"
        await asyncio.sleep(0.05)
    await exchange.aclose()


def _once(requests: list[bytes]) -> Callable[..., object]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(LENGTH)
        await writer.drain()
        writer.close()

    return answer


async def test_a_proxy_that_is_set_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = list[bytes]()
    async with served([LENGTH], requests) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        exchange = Exchange(count=1, limit_s=5.0)
        assert (await exchange.send("GET", "http://arena.test/x", headers={})).content == b"page"
        assert (await exchange.send("GET", f"{proxy}/y", headers={})).content == b"page"
        await exchange.aclose()
    assert [request.split(b"\r\n")[0] for request in requests] == [
        b"GET http://arena.test/x HTTP/1.1",
        b"GET /y HTTP/1.1",
    ]


@pytest.mark.parametrize(
    ("address", "requested"),
    [
        ("http://h:1/e/t/../x?q=..", "http://h:1/e/x?q=.."),
        ("http://h/e/t/./y/../../../../z", "http://h/z"),
        ("http://h", "http://h/"),
        ("http://h/a b/\u00e9?q=a b&r=\u00e9%20#f", "http://h/a%20b/%C3%A9?q=a%20b&r=%C3%A9%20#f"),
        ("http://h/~a/(b)!$&'*+,;=:@", "http://h/~a/(b)!$&'*+,;=:@"),
    ],
)
def test_addresses_are_requested_as_by_a_browser(address: str, requested: str) -> None:
    assert normalise_url(address) == requested
