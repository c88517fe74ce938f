"""Requests reach the application complete, and as HTTP/1.1 says."""

from __future__ import annotations

import http.client
import re
import threading
import time

import pytest

from core.telemetry import metrics, request_ids
from tests.door.conftest import WAIT_S, Door, everything

CLOSE = b"Host: x\r\nConnection: close\r\n"


def test_requests_sent_at_once_are_answered_in_their_order(door: Door) -> None:
    requests = [f"POST /{n} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{n}".encode() for n in range(3)]
    answer = door.ask(b"".join(requests) + b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert answer.count(b"HTTP/1.1 200 OK") == 4
    assert [part[:1] for part in answer.split(b"\r\n\r\n")[1:4]] == [b"0", b"1", b"2"]


def test_a_connection_serves_many_requests(door: Door) -> None:
    client = http.client.HTTPConnection("127.0.0.1", door.port, timeout=WAIT_S)
    for size in (0, 10, 200_000, 3):
        client.request("POST", "/", body=b"x" * size)
        assert client.getresponse().read() == b"x" * size
    client.close()


def test_a_chunked_body_is_read_and_has_a_length(door: Door) -> None:
    chunks = b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    answer = door.ask(b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
    assert answer.endswith(b"\r\n\r\nhello world")
    assert door.environs[0]["CONTENT_LENGTH"] == "11"


def test_a_client_that_expects_100_continue_gets_it(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"PUT / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"ok")
        assert everything(client).endswith(b"\r\n\r\nok")


def test_head_gets_the_headers_alone(door: Door) -> None:
    door.handlers["/"] = lambda _environ: ("200 OK", [("Content-Length", "3")], b"abc")
    door.handlers["/stream"] = lambda _environ: ("200 OK", [], (b"(part)" for _ in range(3)))
    answer = door.ask(b"HEAD / HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert b"content-length: 3" in answer
    assert answer.endswith(b"\r\n\r\n")
    answer = door.ask(b"HEAD /stream HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\n")
    assert b"(part)" not in answer
    assert door.closed.wait(WAIT_S)


def test_the_path_is_decoded_and_the_query_is_not(door: Door) -> None:
    door.ask(b"GET /a%20b%ff%2fc?x=%20 HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert door.environs[0]["PATH_INFO"] == "/a b\xff/c"
    assert door.environs[0]["QUERY_STRING"] == "x=%20"


def test_headers_with_underscores_pass_for_no_other_header(door: Door) -> None:
    door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"X_Forwarded_For: 1.2.3.4\r\nA-B: 1\r\nA-B: 2\r\n\r\n")
    assert "HTTP_X_FORWARDED_FOR" not in door.environs[0]
    assert door.environs[0]["HTTP_A_B"] == "1,2"


@pytest.mark.parametrize(
    "request_line",
    [
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n",
        b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(door: Door, request_line: bytes) -> None:
    answer = door.ask(request_line)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert not door.environs


def test_a_body_over_the_limit_is_refused_unread(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\n\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 413 ")
    with door.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nF4241\r\n")
        client.sendall(b"x" * 1_000_001)
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 413 ")
    assert not door.environs


def test_bodies_share_a_budget_that_is_given_back(door: Door) -> None:
    large = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
    with door.connect() as first, door.connect() as second:
        first.sendall(large + b"x" * 899_999)
        time.sleep(0.3)
        second.sendall(large + b"x" * 700_000)
        assert second.recv(1 << 16).startswith(b"HTTP/1.1 503 ")
        first.sendall(b"x")
        assert first.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
    for _ in range(3):
        answer = door.ask(b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 900000\r\n\r\n" + b"x" * 900_000)
        assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_failing_application_is_a_500_and_the_thread_goes_on(door: Door) -> None:
    def fail(_environ: object) -> None:
        raise RuntimeError("expected by this test")

    door.handlers["/fail"] = fail
    assert door.ask(b"GET /fail HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 500 ")
    assert door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200 ")


def test_lanes_do_not_wait_for_each_other(door: Door) -> None:
    opened = threading.Event()

    def wait(_environ: object) -> tuple[str, list[tuple[str, str]], bytes]:
        opened.wait(WAIT_S)
        return "200 OK", [], b""

    door.handlers["/slow"] = wait
    with door.connect() as first, door.connect() as second:
        for client in (first, second):
            client.sendall(b"GET /slow HTTP/1.1\r\n" + CLOSE + b"\r\n")
        assert door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200 ")
        opened.set()
        assert everything(second).startswith(b"HTTP/1.1 200 ")


def test_a_request_has_its_id_in_the_log_and_in_the_response(door: Door) -> None:
    door.handlers["/"] = lambda _environ: ("200 OK", [], request_ids.current.get().encode())
    door.handlers["/stream"] = lambda _environ: (
        "200 OK",
        [],
        (request_ids.current.get().encode() for _ in "a"),
    )
    for path in ("/", "/stream"):
        answer = door.ask(b"GET %s HTTP/1.1\r\nX-Request-Id: trainer-7\r\n" % path.encode() + CLOSE + b"\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"\r\nx-request-id: trainer-7" in head
        assert b"trainer-7" in body
    answer = door.ask(b"GET / HTTP/1.1\r\nX-Request-Id: not an id\r\n" + CLOSE + b"\r\n")
    assert b"not an id" not in answer
    assert re.search(rb"x-request-id: ([0-9a-f]{16})\r\n(?s:.*)\r\n\r\n.*\r\n\1\r\n", answer)


def test_refusals_have_an_id_and_are_counted(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = metrics.RequestCounter()
    monkeypatch.setattr(metrics, "REQUESTS", counter)
    door.handlers["/"] = lambda environ: ("200 OK", [], environ.update({metrics.ROUTE: "a/<id>"}) or b"")
    assert b"x-request-id: " in door.ask(b"POST / HTTP/1.1\r\nContent-Length: 9999999\r\n" + CLOSE + b"\r\n")
    door.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert dict(counter._requests) == {("none", "POST", 413): 1, ("a/<id>", "GET", 200): 1}
    assert [family.name for family in counter.collect()] == [
        "palaestra_requests",
        "palaestra_request_seconds",
    ]


def test_a_busy_thread_shows_as_busy(door: Door) -> None:
    held, release = threading.Event(), threading.Event()

    def hold(_environ: dict[str, object]) -> tuple[str, list[tuple[str, str]], bytes]:
        held.set()
        release.wait(WAIT_S)
        return "200 OK", [], b""

    door.handlers["/slow"] = hold
    busy = metrics.LANE_BUSY.labels("slow")
    with door.connect() as client:
        client.sendall(b"GET /slow HTTP/1.1\r\n" + CLOSE + b"\r\n")
        assert held.wait(WAIT_S)
        assert [sample.value for sample in busy.collect()[0].samples] == [1.0]
        release.set()
        everything(client)
