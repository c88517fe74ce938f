"""Capability tokens of episodes and takeovers: never stored, rejected without a query, masked in logs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re

MAC_BYTES = 16
ID_BYTES = 8
TOKEN_LENGTH = 32  # 24 bytes as base64url, which needs no padding
# This pattern also works in Postgres.
TOKEN_IN_PATH = re.compile(r"/e/[A-Za-z0-9_-]{8,}")
MASKED = "/e/***"


EPISODE = b"palaestra-episode"
PERSON = b"palaestra-takeover"


def token_make(*, episode_id: int, key: bytes) -> str:
    """Make the episode's token: its id and 128 bits of HMAC-SHA256 over it, as 32 URL-safe characters."""
    return _make(episode_id, key, EPISODE)


def person_token_make(*, takeover_id: int, key: bytes) -> str:
    """Make a takeover's token, which has the same form as an episode's and replaces it in page addresses."""
    return _make(takeover_id, key, PERSON)


def _make(subject_id: int, key: bytes, purpose: bytes) -> str:
    raw_id = subject_id.to_bytes(ID_BYTES, "big")
    return base64.urlsafe_b64encode(raw_id + _mac(raw_id, key, purpose)).decode("ascii")


def token_open(*, token: str, key: bytes) -> int | None:
    """Return the id of the token's episode; None if the token is invalid or belongs to a takeover."""
    return _open(token, key, EPISODE)


def person_token_open(*, token: str, key: bytes) -> int | None:
    """Return the id of the token's takeover; None if the token is invalid or belongs to an episode."""
    return _open(token, key, PERSON)


def _open(token: str, key: bytes, purpose: bytes) -> int | None:
    if len(token) != TOKEN_LENGTH:
        return None
    try:
        raw = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    raw_id, mac = raw[:ID_BYTES], raw[ID_BYTES:]
    if not hmac.compare_digest(mac, _mac(raw_id, key, purpose)):
        return None
    return int.from_bytes(raw_id, "big")


def code_digest(code: str) -> str:
    """Return the SHA-256, in hexadecimal, under which the code of a single-use link is stored."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def mask_tokens(text: str) -> str:
    """Replace every capability token in a text, for logs and pages."""
    return TOKEN_IN_PATH.sub(MASKED, text)


def _mac(raw_id: bytes, key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, purpose + raw_id, hashlib.sha256)[:MAC_BYTES]
