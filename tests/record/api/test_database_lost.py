"""A call that the database fails is refused in the API's own shape, so that a harness sends it again."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from psycopg.errors import DiskFull

from core.storage import disk, durable_files
from tests import factories
from trajectories.record import hot_sql
from trajectories.rollouts.episodes import creation
from trajectories.rollouts.runs import selectors


def _fail(error: Exception) -> Callable[..., None]:
    def failing(*_args: Any, **_kwargs: Any) -> None:
        raise error

    return failing


@pytest.mark.parametrize(
    "error", [OperationalError("server closed the connection"), InterfaceError("the connection is closed")]
)
def test_a_lost_database_answers_503_and_recovers(
    api: Callable[..., Any], monkeypatch: Any, error: Exception
) -> None:
    monkeypatch.setattr(hot_sql, "steps_write", _fail(error))
    monkeypatch.setattr(selectors, "run_list", _fail(error))
    monkeypatch.setattr(creation, "episodes_open", _fail(error))
    client, episode = api("read", "trainer"), factories.episode()
    opened = {"run": episode.run_id, "tasks": [episode.task_id]}
    for method, path, body in (
        ("POST", f"/episodes/{episode.pk}/steps", {"steps": [{"index": 1}]}),
        ("GET", "/runs", None),
        ("POST", "/episodes", opened),
    ):
        status, answer = client.json(method, path, body, headers={"Idempotency-Key": "once"})
        assert (status, answer["error"]["code"]) == (503, "database_unavailable")


NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _caused_by(cause: Exception) -> Exception:
    error = OperationalError("could not extend a file")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("error", [_caused_by(DiskFull("no space left on device")), NO_ROOM], ids=repr)
def test_a_full_disk_is_called_so_by_every_call(
    api: Callable[..., Any], monkeypatch: Any, error: Exception
) -> None:
    monkeypatch.setattr(hot_sql, "steps_write", _fail(error))
    monkeypatch.setattr(creation, "episodes_open", _fail(error))
    monkeypatch.setattr(durable_files, "part_open", _fail(error))
    client, episode = api("read", "trainer"), factories.episode()
    opened = {"run": episode.run_id, "tasks": [episode.task_id]}
    answers = [
        client.json("POST", f"/episodes/{episode.pk}/steps", {"steps": [{"index": 1}]}),
        client.json("POST", "/episodes", opened, headers={"Idempotency-Key": "once"}),
        client.json("PUT", f"/blobs/{hashlib.sha256(b'x').hexdigest()}", {"x": 1}),
    ]
    assert [(status, answer["error"]["code"]) for status, answer in answers] == [(507, "disk_full")] * 3


def test_a_database_that_is_lost_on_a_full_disk_is_a_full_disk(
    api: Callable[..., Any], monkeypatch: Any
) -> None:
    monkeypatch.setattr(selectors, "run_list", _fail(OperationalError("the server closed the connection")))
    monkeypatch.setattr(disk, "FULL_BYTES", 2**62)
    status, answer = api("read").json("GET", "/runs", None)
    assert (status, answer["error"]["code"]) == (507, "disk_full")


def test_a_refusal_for_a_lost_database_says_when_to_retry(api: Callable[..., Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(selectors, "run_list", _fail(OperationalError("gone")))
    response = api("read").get("/api/v1/runs")
    assert response["Retry-After"] == "1"
    assert response["Content-Type"].startswith("application/json")
