"""Keys of worlds, and the facts in which a task's world differs, told to nobody who lacks the salt.

The salt is the installation's secret: whoever reads a task's payload, and this code, can draw nothing by it.
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

PUBLIC_WORLD = 0
"""The number of the worlds of samples: their key is made without the salt, the same everywhere."""
NONCE_BYTES = 16
PADDED_BYTES = 256
BLOCK_BYTES = sha256().digest_size

Changes = Sequence[Mapping[str, Any]]


def world_key(*, salt: bytes, site: str, number: int) -> bytes:
    """32 bytes: HMAC-SHA256 of site and number under the salt."""
    return hmac.digest(b"" if number == PUBLIC_WORLD else salt, f"{site}:{number}".encode(), sha256)


def changes_seal(changes: Changes, *, key: bytes, text: str) -> str:
    """Changes as base64 that nobody can read, or tell from those of another task, without the world's key.

    The nonce is made of what is sealed and of the task's text, so that the same comes out each time; all are
    padded, so that the length says nothing.
    """
    plain = json.dumps(list(changes), sort_keys=True).encode()
    plain += b" " * (-len(plain) % PADDED_BYTES)
    nonce = _nonce(plain, key=key, text=text)
    return b64encode(nonce + _crossed(plain, key=key, nonce=nonce)).decode()


def changes_open(sealed: str, *, key: bytes, text: str) -> list[dict[str, Any]]:
    """What was sealed. ``ValueError`` when it was sealed with another key, or for another text."""
    raw = b64decode(sealed)
    nonce, crossed = raw[:NONCE_BYTES], raw[NONCE_BYTES:]
    plain = _crossed(crossed, key=key, nonce=nonce)
    if not hmac.compare_digest(nonce, _nonce(plain, key=key, text=text)):
        raise ValueError("The task was made with another world salt: load its benchmark again.")
    found: list[dict[str, Any]] = json.loads(plain)
    return found


def world_arguments(payload: Mapping[str, Any], *, salt: bytes) -> dict[str, Any]:
    """What a site's ``open_world`` takes, from a task's payload: ``key, edition, first_day, changes``."""
    key, changes = _opened(salt, payload["site"], payload["world"], payload["changes"], payload["text"])
    return {
        "key": key,
        "edition": payload["edition"],
        "first_day": date.fromisoformat(payload["first_day"]),
        "changes": json.loads(changes),
    }


@lru_cache(maxsize=1024)
def _opened(salt: bytes, site: str, number: int, sealed: str, text: str) -> tuple[bytes, str]:
    """The key of a world, and a task's changes as JSON: every page of an episode asks for them."""
    key = world_key(salt=salt, site=site, number=number)
    return key, json.dumps(changes_open(sealed, key=key, text=text))


def _nonce(plain: bytes, *, key: bytes, text: str) -> bytes:
    return hmac.digest(key, b"nonce\0" + text.encode() + b"\0" + plain, sha256)[:NONCE_BYTES]


def _crossed(data: bytes, *, key: bytes, nonce: bytes) -> bytes:
    """The data crossed with a key stream: done twice, the data again."""
    blocks = -(-len(data) // BLOCK_BYTES)
    stream = b"".join(
        hmac.digest(key, b"stream\0" + nonce + block.to_bytes(4, "big"), sha256) for block in range(blocks)
    )
    # As whole numbers: byte by byte takes ten times as long.
    crossed = int.from_bytes(data, "big") ^ int.from_bytes(stream[: len(data)], "big")
    return crossed.to_bytes(len(data), "big")
