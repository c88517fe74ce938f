from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from trajectories.models import ApiKey, KeyChange
from trajectories.record.api import auth

AsRole = Callable[[str], Any]


def _run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_keys_are_listed_without_themselves(db: None) -> None:
    key = auth.key_create(name="one\x1b[2J", scopes=["trainer", "golds"], splits=["train"])
    other = auth.key_create(name="two", scopes=["read"], project="astra")
    auth.principal_for(f"Bearer {other}")
    head, two, one = _run("list_keys").splitlines()
    assert head.split()[:3] == ["id", "name", "key"]
    assert two.split()[1:6] == ["two", f"{other[:8]}...", "read", "all", "astra"]
    assert "trainer, golds" in one
    assert "\x1b" not in one
    assert one.split()[-2:] == ["-", "-"]  # neither used nor revoked
    assert two.split()[-2] != "-"
    assert key not in one + two


def test_a_revoked_key_is_no_key_and_on_record(api: Callable[..., Any]) -> None:
    client = api("trainer")
    pk = ApiKey.objects.get().pk
    assert client.json("GET", "/runs")[0] == 200
    assert "is revoked" in _run("revoke_key", str(pk))
    assert client.json("GET", "/runs")[0] == 401
    assert "was revoked before" in _run("revoke_key", str(pk))
    kinds = KeyChange.objects.order_by("pk").values_list("kind", "author")
    assert list(kinds) == [("created", "manage.py"), ("revoked", "manage.py")]
    assert len(_run("list_keys").splitlines()) == 1
    assert len(_run("list_keys", "--all").splitlines()) == 2


def test_an_unknown_key_cannot_be_revoked(db: None) -> None:
    with pytest.raises(CommandError, match="no key 7"):
        call_command("revoke_key", "7")


def test_the_last_use_is_noted_once_a_minute_with_the_rights_of_the_lab(db: None, as_role: AsRole) -> None:
    key = auth.key_create(name="k", scopes=["read"])

    def used(before: timedelta | None) -> Any:
        if before is not None:
            ApiKey.objects.update(used_at=timezone.now() - before)
        auth.forget_keys()
        with as_role("gym_lab"):
            auth.principal_for(f"Bearer {key}")
        return timezone.now() - ApiKey.objects.get().used_at

    assert used(None) < timedelta(seconds=30)
    assert used(timedelta(seconds=40)) > timedelta(seconds=30)
    assert used(timedelta(minutes=2)) < timedelta(seconds=30)
