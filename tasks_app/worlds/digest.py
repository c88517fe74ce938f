"""A digest of a world, to compare what two machines drew."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of frozen dataclasses, in fields' order; sets are sorted."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
