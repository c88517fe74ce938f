from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from core import redis_client
from tests.conftest import LabClient
from trajectories.lab.login.views import FAILURES_MAX

Lab = Callable[[User | None], LabClient]


@pytest.fixture(autouse=True)
def _forget_failures() -> None:
    for key in redis_client.client().scan_iter("gym:login:*"):
        redis_client.client().delete(key)


def _try(client: LabClient, password: str, address: str = "10.0.0.1") -> int:
    form = {"username": "owner", "password": password}
    return client.post("/login/", form, REMOTE_ADDR=address).status_code


def test_a_login_is_locked_after_ten_wrong_passwords(lab: Lab, owner: User) -> None:
    client = lab(None)
    assert [_try(client, "wrong") for _ in range(FAILURES_MAX)] == [200] * FAILURES_MAX
    assert _try(client, "wrong") == 429
    assert _try(client, "correct horse") == 429


def test_another_address_is_not_locked_out(lab: Lab, owner: User) -> None:
    client = lab(None)
    for _ in range(FAILURES_MAX + 1):
        _try(client, "wrong")
    assert _try(client, "correct horse", address="10.0.0.2") == 302


def test_another_name_is_not_locked_out(lab: Lab, owner: User, annotator: User) -> None:
    client = lab(None)
    for _ in range(FAILURES_MAX + 1):
        _try(client, "wrong")
    form = {"username": "annotator", "password": "wrong"}
    assert client.post("/login/", form, REMOTE_ADDR="10.0.0.1").status_code == 200


def test_a_header_of_the_client_changes_nothing(lab: Lab, owner: User) -> None:
    client = lab(None)
    form = {"username": "owner", "password": "wrong"}
    codes = [
        client.post(
            "/login/", form, REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": f"10.9.9.{number}"}
        ).status_code
        for number in range(FAILURES_MAX + 1)
    ]
    assert codes == [200] * FAILURES_MAX + [429]


def test_addresses_of_one_ipv6_network_are_counted_together(lab: Lab, owner: User) -> None:
    client = lab(None)
    for number in range(FAILURES_MAX):
        assert _try(client, "wrong", address=f"2001:db8:0:1::{number:x}") == 200
    assert _try(client, "wrong", address="2001:db8:0:1:ffff::1") == 429
    assert _try(client, "correct horse", address="2001:db8:0:2::1") == 302


def test_without_redis_nobody_is_locked_out(lab: Lab, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> None:
        raise redis_client.Unreachable[0]

    monkeypatch.setattr(redis_client, "client", down)
    client = lab(None)
    assert _try(client, "wrong") == 200
    assert _try(client, "correct horse") == 302


def test_an_unknown_address_gets_the_error_page_of_the_lab(client: LabClient, db: None) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert b"Palaestra" in response.content
