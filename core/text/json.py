"""Checks on encoded JSON that do not decode it."""

from __future__ import annotations

import re

# An escaped backslash followed by "u0000" is not an escaped NUL.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(text: bytes) -> bool:
    """Return whether a string in the JSON contains a NUL character, which Postgres cannot store."""
    return _NUL.search(text) is not None
