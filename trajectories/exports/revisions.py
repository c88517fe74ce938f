"""Files of revision thoughts, one JSON object a line."""

from __future__ import annotations

import msgspec

from core.errors import GymError
from trajectories.exports.parameters import Revision

FILE_MAX_BYTES = 1024 * 1024
REVISIONS_MAX = 1_000
ERROR_CHARS = 300


def revisions_read(data: bytes) -> list[Revision]:
    """Read the thoughts in a file. Raises ``GymError`` 422 ``bad_revisions``, naming the first bad line."""
    if len(data) > FILE_MAX_BYTES or data.count(b"\n") > REVISIONS_MAX:
        message = (
            f"A file of revision thoughts has up to {REVISIONS_MAX:,} lines and {FILE_MAX_BYTES:,} bytes."
        )
        raise GymError("bad_revisions", message, status=422)
    revisions = [
        _revision(line, number) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()
    ]
    if not revisions:
        raise GymError("bad_revisions", "This file has no revision thought.", status=422)
    return revisions


def _revision(line: bytes, number: int) -> Revision:
    try:
        return msgspec.json.decode(line, type=Revision)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        message = f"Line {number}: {error}."[:ERROR_CHARS]
        raise GymError("bad_revisions", message, status=422) from error
