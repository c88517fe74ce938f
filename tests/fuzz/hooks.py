"""What Schemathesis has to know of this API and cannot read in its schema."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import strategies

from core.paging import cursor_make

schemathesis.openapi.format("cursor", strategies.integers(min_value=0, max_value=10_000).map(cursor_make))


@schemathesis.hook
def map_body(_context: Any, body: Any) -> Any:
    """Whole numbers are sent as such: to JSON schema 1.0 is an integer, to hot calls it is none."""
    return _whole(body)


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value
