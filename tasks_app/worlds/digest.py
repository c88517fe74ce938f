"""Worlds and states as plain data, and digests for comparing what two machines have drawn."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec


def digest(value: Any) -> str:
    """Hash the canonical JSON of frozen dataclasses with SHA-256.

    Fields keep their order and sets are sorted.
    """
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def plain(state: Any) -> dict[str, Any]:
    """Return a state as JSON data, for comparison with a goal."""
    return msgspec.json.decode(msgspec.json.encode(state, order="deterministic"), type=dict[str, Any])
