from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from core.errors import GymError
from tests import factories
from trajectories.models import ApiKey
from trajectories.record.api import auth
from trajectories.record.api.auth import principal_for


def _create(**options: str) -> str:
    out = io.StringIO()
    call_command("create_key", stdout=out, **options)
    return out.getvalue()


def test_only_the_key_is_printed_and_it_authenticates(db: None) -> None:
    printed = _create(name="trainer one", scopes="read, trainer", splits="train")

    principal = principal_for(f"Bearer {printed.strip()}")

    assert printed.count("\n") == 1
    assert (principal.name, principal.scopes) == ("trainer one", {"read", "trainer"})
    assert principal.sees_split("train")
    assert not principal.sees_split("test")
    assert printed.strip() not in str(ApiKey.objects.values().get())


def test_splits_that_no_benchmark_has_are_named(db: None) -> None:
    factories.task(split="test")
    for splits, warning in (
        ("test", ""),
        ("test, tset", "No benchmark has the split 'tset' yet. Existing splits: test."),
    ):
        out, problems = io.StringIO(), io.StringIO()
        call_command("create_key", name="x", scopes="read", splits=splits, stdout=out, stderr=problems)
        assert problems.getvalue().strip() == warning
        assert principal_for(f"Bearer {out.getvalue().strip()}").sees_split("test")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "x", "scopes": "trianer"}, "Did you mean trainer"),
        ({"name": "x", "scopes": " , "}, "at least one scope"),
        ({"name": " ", "scopes": "read"}, "1 to 100"),
        ({"name": "x" * 101, "scopes": "read"}, "1 to 100"),
    ],
)
def test_an_invalid_key_request_is_refused_with_a_message(
    db: None, options: dict[str, str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        _create(**options)

    assert not ApiKey.objects.exists()


def test_a_key_is_known_to_its_process_once_it_was_used(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "CACHED_KEYS_MAX", 3)
    header = f"Bearer {auth.key_create(name='k', scopes=['read'])}"
    assert auth.find_known_key(header) is None
    principal = auth.principal_for(header)
    assert auth.find_known_key(header) == principal.key_id
    for number in range(10):
        with pytest.raises(GymError, match="unknown or was revoked"):
            auth.principal_for(f"Bearer gym_{number}")
        assert auth.find_known_key(f"Bearer gym_{number}") is None
        assert auth.find_known_key(header) == principal.key_id
