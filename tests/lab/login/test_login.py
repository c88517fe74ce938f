from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from core.work import redis_client
from tests.conftest import LabClient
from trajectories.lab.login.attempts import ADDRESS_ATTEMPTS_MAX, NAME_ATTEMPTS_MAX

Lab = Callable[[User | None], LabClient]


@pytest.fixture(autouse=True)
def _forget_failures() -> None:
    for key in redis_client.client().scan_iter("gym:login:*"):
        redis_client.client().delete(key)


# The form takes all of these for the name "owner", except for the capitals: those are another name.
SPELLINGS = {
    "blanks around": " owner\t",
    "a no-break space": "\u00a0owner",
    "an ideographic space": "owner\u3000",
    "a line break": "owner\r\n",
    "full-width letters": "ｏｗｎｅｒ",
    "one full-width letter": "owneｒ",
    "mathematical letters": "𝐨𝐰𝐧𝐞𝐫",
    "circled letters": "ⓞⓦⓝⓔⓡ",
    "superscript letters": "ᵒʷⁿᵉʳ",
    "capitals": "OWNER",
    "full-width capitals": "ＯＷＮＥＲ",
}


def _try(client: LabClient, password: str, address: str = "10.0.0.1", name: str = "owner") -> int:
    form = {"username": name, "password": password}
    return client.post("/login/", form, REMOTE_ADDR=address).status_code


def test_a_login_is_locked_after_ten_wrong_passwords(lab: Lab, owner: User) -> None:
    client = lab(None)
    assert [_try(client, "wrong") for _ in range(NAME_ATTEMPTS_MAX)] == [200] * NAME_ATTEMPTS_MAX
    assert _try(client, "wrong") == 429
    assert _try(client, "correct horse") == 429


def test_another_address_is_not_locked_out(lab: Lab, owner: User) -> None:
    client = lab(None)
    for _ in range(NAME_ATTEMPTS_MAX + 1):
        _try(client, "wrong")
    assert _try(client, "correct horse", address="10.0.0.2") == 302


def test_another_name_is_not_locked_out(lab: Lab, owner: User, annotator: User) -> None:
    client = lab(None)
    for _ in range(NAME_ATTEMPTS_MAX + 1):
        _try(client, "wrong")
    form = {"username": "annotator", "password": "wrong"}
    assert client.post("/login/", form, REMOTE_ADDR="10.0.0.1").status_code == 200


@pytest.mark.parametrize("name", SPELLINGS.values(), ids=SPELLINGS)
def test_another_spelling_of_a_name_is_no_fresh_start(lab: Lab, owner: User, name: str) -> None:
    client = lab(None)
    for _ in range(NAME_ATTEMPTS_MAX):
        assert _try(client, "wrong") == 200
    assert _try(client, "correct horse", name=name) == 429


def test_spellings_in_turn_are_counted_together(lab: Lab, owner: User) -> None:
    names = [*SPELLINGS.values(), "owner"]
    codes = [_try(lab(None), "wrong", name=name) for name in names]
    assert codes == [200] * NAME_ATTEMPTS_MAX + [429] * (len(names) - NAME_ATTEMPTS_MAX)


def test_an_address_that_tries_many_names_is_locked(lab: Lab, owner: User) -> None:
    client = lab(None)
    for number in range(ADDRESS_ATTEMPTS_MAX):
        assert _try(client, "wrong", name=f"name{number}") == 200
    assert _try(client, "correct horse") == 429
    assert _try(client, "correct horse", address="10.0.0.2") == 302


def test_attempts_count_before_their_password_is_looked_at(
    lab: Lab, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many requests at once would all read the count before the first of them has failed."""
    codes: list[int] = []

    def authenticate(*_: object, **__: object) -> None:
        codes.append(_try(lab(None), "wrong"))  # within the check of the one before

    monkeypatch.setattr("django.contrib.auth.forms.authenticate", authenticate)
    codes.append(_try(lab(None), "wrong"))
    assert codes == [429] + [200] * NAME_ATTEMPTS_MAX


def test_a_login_forgives_the_attempts_before_it(lab: Lab, owner: User) -> None:
    for _ in range(3):
        for _ in range(NAME_ATTEMPTS_MAX - 1):
            assert _try(lab(None), "wrong") == 200
        assert _try(lab(None), "correct horse") == 302


def test_ipv4_addresses_written_as_ipv6_are_not_one_network(lab: Lab, owner: User) -> None:
    for _ in range(NAME_ATTEMPTS_MAX):
        assert _try(lab(None), "wrong", address="::ffff:10.0.0.1") == 200
    assert _try(lab(None), "wrong", address="10.0.0.1") == 429
    assert _try(lab(None), "correct horse", address="::ffff:10.0.0.2") == 302


def test_a_header_of_the_client_changes_nothing(lab: Lab, owner: User) -> None:
    client = lab(None)
    form = {"username": "owner", "password": "wrong"}
    codes = [
        client.post(
            "/login/", form, REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": f"10.9.9.{number}"}
        ).status_code
        for number in range(NAME_ATTEMPTS_MAX + 1)
    ]
    assert codes == [200] * NAME_ATTEMPTS_MAX + [429]


def test_addresses_of_one_ipv6_network_are_counted_together(lab: Lab, owner: User) -> None:
    client = lab(None)
    for number in range(NAME_ATTEMPTS_MAX):
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


def test_a_login_is_created_under_the_name_that_the_form_reads(lab: Lab) -> None:
    call_command("create_login", "--name", " ａnna ", stdout=(password := StringIO()))
    assert User.objects.get().username == "anna"
    assert _try(lab(None), password.getvalue().strip(), name="anna") == 302
    for name in ("anna", " anna", "ａnna"):
        with pytest.raises(CommandError, match="already a login 'anna'"):
            call_command("create_login", "--name", name)
    with pytest.raises(CommandError, match="other than a space"):
        call_command("create_login", "--name", " ")


def test_an_unknown_address_gets_the_error_page_of_the_lab(client: LabClient, db: None) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert b"Palaestra" in response.content
