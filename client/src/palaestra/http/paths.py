"""Paths of the API, in which an id is always exactly one segment, to rule out path traversal."""

from __future__ import annotations

import re

from palaestra.errors import PalaestraError

V1 = "/api/v1"
SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def build_path(template: str, *ids: int | str) -> str:
    """Return a path with an id in place of each ``{}``. Raises ``PalaestraError`` for an invalid id."""
    return template.format(*map(_check_segment, ids))


def blob_path(digest: str) -> str:
    """Return the path of the blob with this SHA-256. Raises ``PalaestraError`` for an invalid digest."""
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise PalaestraError(f"{digest!r:.100} is not a SHA-256: 64 lower-case hexadecimal digits.")
    return f"{V1}/blobs/{digest}"


def _check_segment(given: int | str) -> str:
    is_number = isinstance(given, int) and not isinstance(given, bool) and given >= 0
    if is_number or (isinstance(given, str) and SEGMENT.fullmatch(given)):
        return str(given)
    raise PalaestraError(f"{given!r:.100} is not an id: pass a number, or a name from the server.")
