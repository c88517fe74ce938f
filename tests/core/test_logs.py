"""Requests that Django refuses are 400, in one line of the log; no text breaks out of its line."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from core.episodes.tokens import token_make
from core.telemetry import request_ids
from core.telemetry.logs import JsonFormatter, PlainFormatter, RefusalFilter
from tests import factories
from tests.conftest import LabClient

MANY = urlencode({f"field{number}": 1 for number in range(1_001)})
LONG = "/" + "a" * 20_000
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the log of this process gets."""
    (handler,) = [
        handler
        for handler in logging.root.handlers
        if isinstance(handler, logging.StreamHandler)
        and any(isinstance(one, RefusalFilter) for one in handler.filters)
    ]
    written = io.StringIO()
    before = handler.setStream(written)
    yield written
    handler.setStream(before)


def _refused(response: HttpResponse, log: io.StringIO) -> None:
    assert response.status_code == 400
    assert "Traceback" not in log.getvalue()


@pytest.mark.parametrize(
    "send",
    [
        lambda client: client.get(f"/login/?{MANY}"),
        lambda client: client.post("/login/", MANY, content_type=FORM),
        lambda client: client.get(f"/?next={LONG}"),
    ],
)
def test_the_lab_refuses_in_one_line(
    client: Client, db: None, log: io.StringIO, send: Callable[[Client], HttpResponse]
) -> None:
    client.raise_request_exception = False
    response = send(client)
    _refused(response, log)
    assert b"cannot be read" in response.content


def test_a_login_leaves_an_over_long_next_out(
    lab: Callable[[User | None], LabClient], owner: User, log: io.StringIO
) -> None:
    form = {"username": "owner", "password": "correct horse", "next": LONG}
    response = lab(None).post("/login/", form)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert log.getvalue() == ""


def test_the_api_refuses_in_its_own_shape(api: Callable[..., Any], log: io.StringIO) -> None:
    response = api("read").get(f"/api/v1/tasks?{MANY}")
    _refused(response, log)
    assert json.loads(response.content)["error"]["code"] == "unreadable"


def test_the_arena_refuses_in_one_line(arena_client: Client, db: None, log: io.StringIO) -> None:
    token = token_make(episode_id=factories.episode().pk, key=settings.TOKEN_KEY)
    start = f"/e/{token}/"
    arena_client.raise_request_exception = False
    _refused(arena_client.get(f"{start}?{MANY}"), log)
    _refused(arena_client.post(f"{start}submit", MANY, content_type=FORM), log)


HOSTILE = [
    "two\nlines",
    "x" * 10_000,
    "\x1b[31mred\x1b[0m",
    "carriage\rreturn",
    "separator\u2028here",
    "NUL\x00",
    "",
    "caf\xe9",
    "a b",
]


@pytest.mark.parametrize("given", HOSTILE)
def test_a_hostile_request_id_is_replaced(given: str) -> None:
    made = request_ids.read_or_generate([(b"x-request-id", given.encode("latin-1", "replace"))])
    assert made != given
    assert re.fullmatch(r"[0-9a-f]{16}", made)


def test_a_well_formed_request_id_stays() -> None:
    assert (
        request_ids.read_or_generate([(b"host", b"x"), (b"x-request-id", b"trainer-7.a_B")])
        == "trainer-7.a_B"
    )


def _record(message: str, *arguments: object, error: Exception | None = None) -> logging.LogRecord:
    exc_info = (type(error), error, None) if error else None
    return logging.LogRecord("tested", logging.ERROR, "", 0, message, arguments, exc_info)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("formatter", [PlainFormatter(), JsonFormatter("lab")], ids=["plain", "json"])
def test_a_message_stays_in_its_line(formatter: logging.Formatter, text: str) -> None:
    with request_ids.bind("trainer-7"):
        line = formatter.format(_record("Not found: %s", text))
    assert len(line.splitlines()) == 1
    assert "trainer-7" in line
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", line)


@pytest.mark.parametrize("formatter", [PlainFormatter(), JsonFormatter("lab")], ids=["plain", "json"])
def test_tokens_are_masked_in_messages_and_tracebacks(formatter: logging.Formatter) -> None:
    token = token_make(episode_id=7, key=settings.TOKEN_KEY)
    error = ValueError(f"no page at /e/{token}/next\x1b[31m")
    line = formatter.format(_record("Failed: /e/%s/\n", token, error=error))
    assert token not in line
    assert line.count("/e/***") == 2
    assert "\x1b" not in line


def test_a_json_line_has_its_parts() -> None:
    entry = json.loads(JsonFormatter("lab").format(_record("Failed: %s", "x", error=ValueError("y"))))
    assert entry | {"time": ""} == {
        "time": "",
        "level": "ERROR",
        "logger": "tested",
        "process": "lab",
        "request_id": "-",
        "message": "Failed: x",
        "traceback": "ValueError: y",
    }
