"""Seeds derived from seeds."""

from __future__ import annotations

import hashlib


def derive(*parts: int | str) -> int:
    """63 bits, the same on every machine."""
    text = ":".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
