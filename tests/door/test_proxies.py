"""Whose address a request has, and who may say so."""

from __future__ import annotations

import pytest

from tests.door.conftest import PROXY, Door

STRANGER = "127.0.0.77"


@pytest.mark.parametrize(
    ("source", "forwarded", "address"),
    [
        (STRANGER, ["6.6.6.6"], STRANGER),
        (STRANGER, [f"6.6.6.6, {PROXY}"], STRANGER),
        (PROXY, [], PROXY),
        (PROXY, ["5.5.5.5"], "5.5.5.5"),
        # What the client wrote itself stands to the left of what the proxy has added.
        (PROXY, ["6.6.6.6, 5.5.5.5"], "5.5.5.5"),
        (PROXY, ["6.6.6.6", "5.5.5.5"], "5.5.5.5"),
        (PROXY, [f"6.6.6.6, {PROXY}, 5.5.5.5"], "5.5.5.5"),
        # Through a second trusted proxy.
        (PROXY, ["6.6.6.6, 5.5.5.5, 127.0.9.4"], "5.5.5.5"),
        (PROXY, ["6.6.6.6, 2001:db8::1"], "2001:db8::1"),
    ],
)
def test_only_a_trusted_proxy_names_the_client(
    door: Door, source: str, forwarded: list[str], address: str
) -> None:
    headers = "".join(f"X-Forwarded-For: {value}\r\n" for value in forwarded)
    request = f"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n"
    assert door.ask(request.encode(), source=source).startswith(b"HTTP/1.1 200 ")
    assert door.environs[0]["REMOTE_ADDR"] == address
