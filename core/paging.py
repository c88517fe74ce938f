"""Query parameters that refuse what they do not know, and pages by cursor."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request

from core.fields import CountField, StrictSerializer
from core.integers import BIGINT_MAX

PAGE_DEFAULT = 100
PAGE_MAX = 1_000
CURSOR = re.compile(r"after:([0-9]{1,19})")

Row = TypeVar("Row")


class CursorField(serializers.CharField):
    """An opaque place in a list, as a former answer gave it in ``next``."""

    def to_internal_value(self, data: Any) -> Any:
        place = cursor_open(str(data))
        if place is None:
            raise serializers.ValidationError(
                "This is no cursor: send `next` of the former answer as it was."
            )
        return place


class Query(StrictSerializer):
    """Parameters of a list; a subclass adds its filters."""

    limit = CountField(
        min_value=1,
        max_value=PAGE_MAX,
        default=PAGE_DEFAULT,
        help_text=f"Results a page, at most {PAGE_MAX:,}.",
    )
    cursor = CursorField(required=False, help_text="`next` of the former answer.")


def query_read(query: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The checked parameters of a request; ``GymError`` 400 ``invalid`` names those that are not."""
    serializer = query(data=request.query_params)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def page(rows: Sequence[Row], *, limit: int, place: Callable[[Row], int]) -> tuple[list[Row], str | None]:
    """The first ``limit`` of up to ``limit + 1`` rows, and the cursor of what follows, if anything does."""
    shown = list(rows[:limit])
    if len(rows) <= limit:
        return shown, None
    return shown, cursor_make(place(shown[-1]))


def cursor_make(place: int) -> str:
    return base64.urlsafe_b64encode(f"after:{place}".encode()).decode().rstrip("=")


def cursor_open(cursor: str) -> int | None:
    """The place a cursor was made for, or None when it is not one of ours."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (UnicodeError, binascii.Error):
        return None
    match = CURSOR.fullmatch(text)
    if match is None or int(match.group(1)) > BIGINT_MAX:
        return None
    return int(match.group(1))
