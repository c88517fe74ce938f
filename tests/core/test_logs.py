"""Requests that Django refuses are 400, in one line of the log."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from core.logs import RefusalFilter
from core.tokens import token_make
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
        lambda client: client.post("/logout/", MANY, content_type=FORM),
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
