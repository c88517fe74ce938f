"""Keys of worlds, and the changes that a task makes to its world, sealed with the installation's salt.

Without the salt, a task's payload and this code are not enough to draw its world.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

PUBLIC_WORLD = 0
"""Number of the sample worlds, whose key is made without the salt and is the same everywhere."""
PADDED_BYTES = 256

Changes = Sequence[Mapping[str, Any]]


def world_key(*, salt: bytes, site: str, number: int) -> bytes:
    """Derive a 32-byte key as the HMAC-SHA256 of site and number under the salt."""
    return hmac.digest(b"" if number == PUBLIC_WORLD else salt, f"{site}:{number}".encode(), sha256)


def changes_seal(changes: Changes, *, key: bytes, text: str) -> str:
    """Encrypt a task's changes with its world's key, bound to the task's text, as base64.

    AES-SIV (RFC 5297) is deterministic, so the same task always has the same payload. Padding hides the
    length.
    """
    plain = json.dumps(list(changes), sort_keys=True).encode()
    plain += b" " * (-len(plain) % PADDED_BYTES)
    return b64encode(_cipher(key).encrypt(plain, [text.encode()])).decode()


def changes_open(sealed: str, *, key: bytes, text: str) -> list[dict[str, Any]]:
    """Decrypt changes. Raises ``ValueError`` if they were sealed with another key or for another text."""
    try:
        plain = _cipher(key).decrypt(b64decode(sealed), [text.encode()])
    except InvalidTag:
        raise ValueError("The task was made with a different world salt. Load its benchmark again.") from None
    changes: list[dict[str, Any]] = json.loads(plain)
    return changes


def world_arguments(payload: Mapping[str, Any], *, salt: bytes) -> dict[str, Any]:
    """Return ``open_world``'s arguments for a task's payload: ``key, edition, first_day, changes``."""
    key, changes = _open(salt, payload["site"], payload["world"], payload["changes"], payload["text"])
    return {
        "key": key,
        "edition": payload["edition"],
        "first_day": date.fromisoformat(payload["first_day"]),
        "changes": json.loads(changes),
    }


@lru_cache(maxsize=1024)
def _open(salt: bytes, site: str, number: int, sealed: str, text: str) -> tuple[bytes, str]:
    """Return a world's key and a task's changes as JSON, which every page of an episode needs."""
    key = world_key(salt=salt, site=site, number=number)
    return key, json.dumps(changes_open(sealed, key=key, text=text))


def _cipher(key: bytes) -> AESSIV:
    """Make the cipher for changes, with a derived key because the world's key also seeds what is drawn."""
    return AESSIV(hmac.digest(key, b"changes", sha256))
