"""Strict query parameters, and pages by cursor."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from core.fields import CountField, StrictSerializer, body_read
from core.integers import BIGINT_MAX

PAGE_DEFAULT = 100
PAGE_MAX = 1_000
CURSOR_CHARS = 64
CURSOR = re.compile(r"after:([0-9]{1,19})")

Row = TypeVar("Row")


@extend_schema_field({"type": "string", "format": "cursor", "maxLength": CURSOR_CHARS})
class CursorField(serializers.CharField):
    """An opaque position in a list, taken from ``next`` of the previous response."""

    def to_internal_value(self, data: Any) -> Any:
        position = cursor_open(str(data))
        if position is None:
            raise serializers.ValidationError(
                "This is not a cursor: send `next` of the previous response unchanged."
            )
        return position


class Query(StrictSerializer):
    """Parameters of a list; a subclass adds its filters."""

    limit = CountField(
        min_value=1,
        max_value=PAGE_MAX,
        default=PAGE_DEFAULT,
        help_text=f"Results per page, at most {PAGE_MAX:,}.",
    )
    cursor = CursorField(required=False, help_text="`next` of the previous response.")


def query_read(query: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the validated query parameters of a request; raises as ``body_read`` does."""
    return body_read(query, request.query_params)


def page(rows: Sequence[Row], *, limit: int, place: Callable[[Row], int]) -> tuple[list[Row], str | None]:
    """Return the first ``limit`` of up to ``limit + 1`` rows, and the cursor of the next page, if any."""
    rows_shown, last = page_cut(rows, limit=limit, place=place)
    return rows_shown, None if last is None else cursor_make(last)


def page_cut(rows: Sequence[Row], *, limit: int, place: Callable[[Row], int]) -> tuple[list[Row], int | None]:
    """Return the first ``limit`` of up to ``limit + 1`` rows, and the last one's position if more follow."""
    first = list(rows[:limit])
    return first, place(first[-1]) if len(rows) > limit else None


def cursor_make(position: int) -> str:
    """Encode a position as an opaque cursor."""
    return base64.urlsafe_b64encode(f"after:{position}".encode()).decode().rstrip("=")


def cursor_open(cursor: str) -> int | None:
    """Decode a cursor to its position, or None if it is not one of ours."""
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
