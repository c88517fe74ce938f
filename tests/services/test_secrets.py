from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import GymError
from gymsite.services import secrets


def test_every_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    secrets.ensure_all(tmp_path)
    first = {name: secrets.read(tmp_path, name) for name in secrets.PASSWORDS + secrets.KEYS}
    secrets.ensure_all(tmp_path)
    assert {name: secrets.read(tmp_path, name) for name in first} == first
    assert len(set(first.values())) == len(first)
    assert {len(bytes.fromhex(value)) for value in first.values()} == {secrets.RANDOM_BYTES}
    assert secrets.folder(tmp_path).stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in secrets.folder(tmp_path).iterdir()} == {0o600}


def test_a_replaced_secret_is_complete_and_private(tmp_path: Path) -> None:
    secrets.ensure_all(tmp_path)
    secrets.write(tmp_path, "demo_key", "one")
    secrets.write(tmp_path, "demo_key", "two")
    assert secrets.read(tmp_path, "demo_key") == "two"
    assert (secrets.folder(tmp_path) / "demo_key").stat().st_mode & 0o777 == 0o600
    assert [path for path in secrets.folder(tmp_path).iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["../outside", "", "a/b", "Key"])
def test_an_invalid_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid secret name"):
        secrets.write(tmp_path, name, "value")


def test_a_missing_secret_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GymError) as missing:
        secrets.read(tmp_path, "token_key")
    assert missing.value.code == "no_secret"
    assert "make up" in missing.value.message


def test_without_an_installation_a_key_is_random_each_time(tmp_path: Path) -> None:
    first, second = (secrets.read_or_ephemeral(tmp_path, "token_key") for _ in range(2))
    assert first != second
    assert list(tmp_path.iterdir()) == []
