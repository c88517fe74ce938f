"""Clients that send or take too slowly are given up, and nobody waits for them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.door.conftest import WAIT_S, Door, everything

CLOSE = b"Host: x\r\nConnection: close\r\n"
ENDLESS = 200_000_000


def test_half_a_head_ends_with_408(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert everything(client).startswith(b"HTTP/1.1 408 ")


def test_a_connection_without_a_request_is_closed(door: Door) -> None:
    with door.connect() as client:
        assert everything(client).startswith(b"HTTP/1.1 408 ")


def test_a_head_without_end_is_431(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        client.sendall(b"x" * 20_001)
        assert everything(client).startswith(b"HTTP/1.1 431 ")


def test_half_a_body_ends_with_408_and_holds_no_thread(door: Door) -> None:
    clients = [door.connect() for _ in range(20)]
    for client in clients:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    assert door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200 ")
    for client in clients:
        assert everything(client).startswith(b"HTTP/1.1 408 ")
        client.close()
    assert len(door.environs) == 1


def test_a_body_below_the_lowest_rate_is_given_up(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        begun, answer = time.monotonic(), b""
        client.settimeout(0.1)
        while not answer and time.monotonic() - begun < WAIT_S:
            client.sendall(b"x" * 200)  # 2 kB/s
            try:
                answer = client.recv(100)
            except TimeoutError:
                continue
        assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_body_above_the_lowest_rate_arrives(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 100000\r\n\r\n")
        for _ in range(25):  # 40 kB/s, longer than the grace
            client.sendall(b"x" * 4_000)
            time.sleep(0.1)
        assert everything(client).endswith(b"x" * 100_000)


def test_slow_work_is_not_the_clients_fault(door: Door) -> None:
    """The next request waits half sent while the first one is answered."""

    def work(_environ: object) -> tuple[str, list[tuple[str, str]], bytes]:
        time.sleep(2.5)
        return "200 OK", [("Content-Length", "0")], b""

    door.handlers["/slow"] = work
    with door.connect() as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        client.sendall(CLOSE + b"Content-Length: 2\r\n\r\nok")
        assert everything(client).endswith(b"ok")


def _stream(door: Door, parts: Iterator[bytes]) -> socket.socket:
    door.handlers["/stream"] = lambda _environ: ("200 OK", [], parts)
    client = door.connect()
    client.sendall(b"GET /stream HTTP/1.1\r\n" + CLOSE + b"\r\n")
    return client


def test_a_stream_is_made_as_fast_as_its_client_reads(door: Door) -> None:
    made: list[int] = []

    def parts() -> Iterator[bytes]:
        while sum(made) < ENDLESS:
            made.append(100_000)
            yield b"x" * 100_000

    client = _stream(door, parts())
    client.recv(1)
    time.sleep(1.0)
    waiting = sum(made)
    assert waiting < ENDLESS / 4
    assert door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200 ")
    client.close()
    assert door.closed.wait(WAIT_S), "a stream whose client has left is closed"


def test_a_stream_that_nobody_reads_is_given_up(door: Door) -> None:
    client = _stream(door, (b"x" * 100_000 for _ in range(10_000)))
    client.recv(1)
    assert door.closed.wait(WAIT_S)
    assert len(everything(client)) < ENDLESS
    client.close()


def test_a_stream_that_fails_is_cut_off(door: Door) -> None:
    """The end of a chunked response is missing, so that no client takes a part for the whole."""

    def parts() -> Iterator[bytes]:
        yield b"x" * 1_000_000  # more than a block, or the status would say it
        raise RuntimeError("expected by this test")

    client = _stream(door, parts())
    answer = everything(client)
    client.close()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert not answer.endswith(b"0\r\n\r\n")
    assert door.closed.wait(WAIT_S)


def test_a_whole_stream_has_its_end(door: Door) -> None:
    client = _stream(door, (b"x" * 1_000 for _ in range(1_000)))
    answer = everything(client)
    client.close()
    assert answer.endswith(b"0\r\n\r\n")
    assert answer.partition(b"\r\n\r\n")[2].count(b"x") == 1_000_000


def test_streams_past_the_limit_are_429(door: Door) -> None:
    clients = []
    for _ in range(2):
        clients.append(_stream(door, (b"x" * 100_000 for _ in range(1_000))))
        clients[-1].recv(1)
    with _stream(door, iter([b"x"])) as third:
        refused = everything(third)
    assert refused.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: " in refused
    assert b"too_many_exports" in refused
    for client in clients:
        client.close()


def test_files_of_known_length_are_not_limited(door: Door) -> None:
    """A page may show many pictures at once."""

    def file(_environ: object) -> tuple[str, list[tuple[str, str]], Iterator[bytes]]:
        return "200 OK", [("Content-Length", "20000000")], (b"x" * 100_000 for _ in range(200))

    door.handlers["/file"] = file
    clients = [door.connect() for _ in range(5)]
    for client in clients:
        client.sendall(b"GET /file HTTP/1.1\r\n" + CLOSE + b"\r\n")
    begun = [client.recv(12) for client in clients]
    assert begun == [b"HTTP/1.1 200"] * 5
    with ThreadPoolExecutor() as readers:
        sizes = [len(received) for received in readers.map(everything, clients)]
    assert min(sizes) > 20_000_000
    for client in clients:
        client.close()


def test_a_large_response_is_sent_without_its_thread(door: Door) -> None:
    body = b"x" * 30_000_000
    door.handlers["/large"] = lambda _environ: ("200 OK", [("Content-Length", str(len(body)))], body)
    with door.connect() as client:
        client.sendall(b"GET /large HTTP/1.1\r\n" + CLOSE + b"\r\n")
        client.recv(1)
        assert door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200 ")
        assert everything(client).partition(b"\r\n\r\n")[2] == body


def test_a_client_that_leaves_early_harms_nobody(door: Door) -> None:
    def work(_environ: Any) -> tuple[str, list[tuple[str, str]], bytes]:
        time.sleep(0.3)
        return "200 OK", [("Content-Length", "2")], b"ok"

    door.handlers["/slow"] = work
    for request in (
        b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
    ):
        with door.connect() as client:
            client.sendall(request)
    assert door.ask(b"GET /slow HTTP/1.1\r\n" + CLOSE + b"\r\n").endswith(b"ok")
