"""Text that comes from outside and goes into the database."""

from __future__ import annotations


def storable(text: str) -> str:
    """Without what Postgres cannot hold: NUL and half characters."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
