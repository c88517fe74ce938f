"""Who is admitted to a door that is served, over HTTP and over WebSockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from palaestra.admission import Admission, is_loopback, token_check

TOKEN = "a token of a door"
BEARER = f"Bearer {TOKEN}"


async def passes(kind: str, token: str, *headers: tuple[str, str]) -> bool:
    """Whether a request reaches the application; what is sent to one that does not is checked."""
    reached: list[str] = []
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["type"])

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    await Admission(app, token=token)({"type": kind, "headers": encoded}, receive, send)
    if not reached:
        refusal = {"websocket": "websocket.close", "http": "http.response.start"}[kind]
        assert sent[0]["type"] == refusal
        assert sent[0].get("status", 401) in (401, 403)
    return bool(reached)


LOCAL = [
    ("127.0.0.1:8009", True),
    ("localhost:8009", True),
    ("LOCALHOST", True),
    ("[::1]:8009", True),
    ("127.8.0.1", True),
    ("evil.example", False),
    ("127.0.0.1.evil.example", False),
    ("localhost.evil.example:8009", False),
    ("localhost@evil.example", False),
    ("192.168.0.7:8009", False),
    ("0.0.0.0", False),
    ("[::]", False),
    ("[::1", False),
    ("", False),
    ("2130706433", False),
]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(("host", "is_local"), LOCAL)
async def test_without_a_token_the_host_is_this_machine(kind: str, host: str, is_local: bool) -> None:
    assert await passes(kind, "", ("host", host)) is is_local


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "localhost"), ("host", "evil.example")],
        [("host", "localhost"), ("origin", "https://evil.example")],
        [("host", "localhost"), ("origin", "null")],
    ],
)
async def test_without_a_token_no_web_page_of_another_is_served(kind: str, headers: Any) -> None:
    assert not await passes(kind, "", *headers)


async def test_a_page_of_this_machine_is_served() -> None:
    assert await passes("http", "", ("host", "localhost:1"), ("origin", "http://localhost:3000"))


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("given", "is_right"),
    [
        ([BEARER], True),
        ([], False),
        ([TOKEN], False),
        ([f"bearer {TOKEN}"], False),
        ([BEARER[:-1]], False),
        ([f"{BEARER} "], False),
        (["Bearer "], False),
        ([BEARER, "Bearer other"], False),
        (["Bearer \xfc"], False),
    ],
)
async def test_with_a_token_it_alone_counts(kind: str, given: list[str], is_right: bool) -> None:
    tokens = [("authorization", value) for value in given]
    assert (
        await passes(kind, TOKEN, ("host", "gym.example"), ("origin", "https://x.example"), *tokens)
        is is_right
    )
    assert await passes(kind, TOKEN, ("host", "localhost"), *tokens) is is_right


async def test_what_is_no_request_passes() -> None:
    started = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        started.set()

    await Admission(app, token=TOKEN)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]
    assert started.is_set()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "gym.example", ""])
def test_a_door_to_elsewhere_needs_a_token(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(ValueError, match="put a token"):
        token_check("", host=host)
    with pytest.raises(ValueError, match="fewer than 16"):
        token_check("short", host=host)
    token_check(TOKEN, host=host)


def test_a_door_of_this_machine_needs_none() -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        token_check("", host=host)
