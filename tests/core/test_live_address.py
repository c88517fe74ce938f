from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.test import RequestFactory

from core.web.live_address import live_url, socket_origin


@pytest.mark.parametrize(
    ("lab", "live", "host", "expected"),
    [
        ("http://127.0.0.1:8001", "http://127.0.0.1:8002", "127.0.0.1:8001", "http://127.0.0.1:8002"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8002", "localhost:8001", "http://localhost:8002"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8002", "[::1]:8001", "http://[::1]:8002"),
        ("https://lab.example", "https://lab.example", "lab.example", "https://lab.example"),
        ("https://lab.example", "https://lab.example", "localhost:9443", "https://localhost:9443"),
        ("https://lab.example", "https://live.example", "lab.example", "https://live.example"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8002", "a b;script-src *", "http://127.0.0.1:8002"),
    ],
)
def test_the_live_address_has_the_host_name_of_the_page(
    settings: LazySettings, lab: str, live: str, host: str, expected: str
) -> None:
    settings.LAB_URL, settings.LIVE_URL = lab, live
    settings.ALLOWED_HOSTS = ["*"]
    assert live_url(RequestFactory().get("/", headers={"host": host})) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8002", "ws://127.0.0.1:8002"),
        ("https://lab.example", "wss://lab.example"),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_sockets_are_encrypted_if_the_page_is(url: str, expected: str) -> None:
    assert socket_origin(url) == expected
