"""Strict query parameters and cursor-based pagination."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, UnsetType
from rest_framework.request import Request

from core.database.integers import BIGINT_MAX
from core.structs.bodies import Body, texts_read
from core.structs.fields import checked

PAGE_DEFAULT = 100
PAGE_MAX = 1_000
CURSOR_CHARS = 64
CURSOR = re.compile(r"after:([0-9]{1,19})")

Row = TypeVar("Row")


def _cursor_read(text: str) -> int:
    position = cursor_open(text)
    if position is None:
        raise ValueError("This is not a cursor: send `next` of the previous response unchanged.")
    return position


Cursor = Annotated[
    str,
    checked(_cursor_read, format="cursor", maxLength=CURSOR_CHARS, minLength=1),
    Meta(description="The `next` of the previous response."),
]
"""An opaque position in a list: ``next`` of the previous response. It is decoded to a number."""


Limit = Annotated[int, Meta(ge=1, le=PAGE_MAX, description=f"Results per page, at most {PAGE_MAX:,}.")]


class Query(Body, kw_only=True):
    """Query parameters of a call that returns a list; each subclass adds its filters."""

    limit: Limit = PAGE_DEFAULT
    cursor: Cursor | UnsetType = UNSET


def query_read(query: type[Body], request: Request) -> dict[str, Any]:
    """Return the validated query parameters of a request. Raises as ``body_read`` does."""
    return texts_read(query, request.query_params)


def page(rows: Sequence[Row], *, limit: int, place: Callable[[Row], int]) -> tuple[list[Row], str | None]:
    """Return the first ``limit`` of up to ``limit + 1`` rows, and the cursor of the next page, if any."""
    rows_shown, last = page_cut(rows, limit=limit, place=place)
    return rows_shown, None if last is None else cursor_make(last)


def page_cut(rows: Sequence[Row], *, limit: int, place: Callable[[Row], int]) -> tuple[list[Row], int | None]:
    """Return the first ``limit`` of up to ``limit + 1`` rows, and the position of the last if more follow."""
    first = list(rows[:limit])
    return first, place(first[-1]) if len(rows) > limit else None


def cursor_make(position: int) -> str:
    """Encode a position as an opaque cursor."""
    return base64.urlsafe_b64encode(f"after:{position}".encode()).decode().rstrip("=")


def cursor_open(cursor: str) -> int | None:
    """Return the position that a cursor encodes, or None if the text is not a cursor."""
    if len(cursor) > CURSOR_CHARS:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (UnicodeError, binascii.Error):
        return None
    match = CURSOR.fullmatch(text)
    if match is None or int(match.group(1)) > BIGINT_MAX:
        return None
    return int(match.group(1))
