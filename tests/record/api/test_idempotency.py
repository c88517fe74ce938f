from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.db import connection
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from core.errors import GymError
from tests import factories
from trajectories.models import ApiKey, IdempotentCall, Run
from trajectories.record.api import auth, idempotency
from trajectories.record.api.auth import Principal

RUN = {"name": "r", "kind": "eval"}


def make_run(client: Any, body: Any = RUN, key: str = "k1") -> Any:
    return client.generic(
        "POST",
        "/api/v1/runs",
        body if isinstance(body, bytes) else msgspec.json.encode(body),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def test_a_repeated_call_gets_the_same_answer_and_does_nothing(api: Callable[..., Any]) -> None:
    client = api("trainer")

    first, second = make_run(client), make_run(client)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotent-Replay" not in first
    assert second["Idempotent-Replay"] == "true"
    assert Run.objects.count() == 1


def test_a_request_with_another_spelling_is_the_same(api: Callable[..., Any]) -> None:
    client = api("trainer")

    first = make_run(client, b'{"name": "r", "kind": "eval"}')
    second = make_run(client, b'{ "kind":"eval","name":"\\u0072" }')

    assert first.content == second.content
    assert Run.objects.count() == 1


def test_another_body_under_the_same_key_is_refused(api: Callable[..., Any]) -> None:
    client = api("trainer")
    make_run(client)

    response = make_run(client, {**RUN, "name": "other"})

    assert (response.status_code, response.json()["error"]["code"]) == (422, "idempotency_mismatch")
    assert Run.objects.count() == 1


def test_the_same_key_and_body_at_another_address_is_refused(api: Callable[..., Any]) -> None:
    client, run = api("trainer"), factories.run()
    other = factories.run()
    body = b'{"version": 1}'
    headers = {"Idempotency-Key": "k"}

    for pk, status in ((run.pk, 201), (run.pk, 201), (other.pk, 422)):
        response = client.generic(
            "POST", f"/api/v1/runs/{pk}/policy", body, content_type="application/json", headers=headers
        )
        assert response.status_code == status


def test_idempotency_keys_of_two_callers_are_separate(api: Callable[..., Any]) -> None:
    first, second = make_run(api("trainer")), make_run(api("trainer"))

    assert first.json()["id"] != second.json()["id"]


def test_a_refusal_is_not_remembered(api: Callable[..., Any]) -> None:
    client = api("trainer")

    assert make_run(client, {"name": "r", "kind": "no"}).status_code == 400
    assert make_run(client, b"{").status_code == 400
    assert make_run(client).status_code == 201
    assert IdempotentCall.objects.count() == 1


def test_a_crash_is_not_remembered(api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    client = api("trainer")
    with monkeypatch.context() as patch:
        patch.setattr(Run.objects, "create", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            make_run(client)

    assert make_run(client).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 201, "ü", "a\tb"])
def test_an_invalid_key_is_refused(api: Callable[..., Any], key: str) -> None:
    response = make_run(api("trainer"), key=key)

    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_idempotency_key")


def test_after_a_day_a_key_can_be_reused_and_its_row_is_deleted(api: Callable[..., Any]) -> None:
    client = api("trainer")
    make_run(client)
    make_run(client, key="k2")
    IdempotentCall.objects.update(created_at=F("created_at") - timedelta(hours=25))

    assert make_run(client, {**RUN, "name": "other"}).status_code == 201
    assert idempotency.sweep_idempotent_calls() == 1
    assert list(IdempotentCall.objects.values_list("key", flat=True)) == ["k1"]


class _View:
    """A view whose work waits until it may go on."""

    def __init__(self) -> None:
        self.started, self.may_end, self.done = threading.Event(), threading.Event(), 0

    @idempotency.idempotent
    def handle(self, request: HttpRequest, principal: Principal) -> HttpResponse:
        self.started.set()
        assert self.may_end.wait(10)
        self.done += 1
        return HttpResponse(b"{}", status=201)


@pytest.fixture
def caller(transactional_db: None) -> Iterator[Principal]:
    auth.key_create(name="twin", scopes=["trainer"])
    row = ApiKey.objects.get(name="twin")
    yield Principal(key_id=row.pk, name="twin", scopes=frozenset(["trainer"]), splits=frozenset())
    row.delete()


def _call(view: _View, principal: Principal, answers: list[Any]) -> None:
    request = RequestFactory().post(
        "/x", b"{}", content_type="application/json", headers={"Idempotency-Key": "t"}
    )
    try:
        answers.append(view.handle(request, principal).status_code)
    except GymError as error:
        answers.append(error.code)
    finally:
        connection.close()


def _twins(view: _View, caller: Principal) -> tuple[threading.Thread, threading.Thread, list[Any]]:
    answers: list[Any] = []
    threads = [threading.Thread(target=_call, args=(view, caller, answers)) for _ in range(2)]
    threads[0].start()
    assert view.started.wait(10)
    threads[1].start()
    return threads[0], threads[1], answers


def test_a_duplicate_waits_for_the_first_call_and_gets_its_answer(caller: Principal) -> None:
    view = _View()
    first, second, answers = _twins(view, caller)

    view.may_end.set()
    first.join(10)
    second.join(10)

    assert answers == [201, 201]
    assert view.done == 1


def test_a_duplicate_that_waits_too_long_gets_409(caller: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "DUPLICATE_WAIT_MS", 100)
    view = _View()
    first, second, answers = _twins(view, caller)

    second.join(10)
    view.may_end.set()
    first.join(10)

    assert answers == ["in_progress", 201]
    assert view.done == 1
