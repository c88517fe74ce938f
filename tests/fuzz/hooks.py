"""What Schemathesis must know about this API but cannot read in the schema."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import schemathesis
from hypothesis import strategies

from core.api.paging import cursor_make
from gymsite.door.server import HEAD_BYTES

OTHER_HEAD_BYTES = 4 * 1024

schemathesis.openapi.format("cursor", strategies.integers(min_value=0, max_value=10_000).map(cursor_make))


@schemathesis.hook
def map_body(_context: Any, body: Any) -> Any:
    """Send whole numbers as integers, because 1.0 is an integer in JSON schema but not in hot calls."""
    return _whole(body)


@schemathesis.hook
def filter_query(context: Any, query: Any) -> bool:
    """Drop query values that are invalid only as JSON, and URLs that are too long for the door.

    A URL has only texts: a list of one item is no list there, an empty list is nothing, and if several values
    are given for a single one, the last counts. The door answers URLs that are too long with 431, so no call
    sees them (``tests/door/test_slow_clients.py``).
    """
    if len(urlencode(query or {}, doseq=True)) > HEAD_BYTES - OTHER_HEAD_BYTES:
        return False
    schemas = {one.name: one.definition["schema"] for one in context.operation.query}
    return all(_is_sent_as_made(value, schemas.get(name, {})) for name, value in (query or {}).items())


def _is_sent_as_made(value: Any, schema: Any) -> bool:
    if schema.get("type") == "array":
        return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
    return not isinstance(value, list) and (isinstance(value, str) or schema.get("type") != "string")


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value
