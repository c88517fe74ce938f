"""External text on its way into the database."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text without what Postgres cannot store: NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
