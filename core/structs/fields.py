"""Field types for bodies and queries, and their ``Meta``.

Each ``Meta`` of this module holds a function that parses the value, and raises ``ValueError`` with a message
for the sender.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from django.utils.dateparse import parse_datetime
from msgspec import Meta

from core.database.integers import BIGINT_MAX, INT_MAX
from palaestra.protocol import histories
from palaestra.protocol.suggestions import did_you_mean

JSON_MAX_BYTES = 64 * 1024
JSON_MAX_DEPTH = 32
NAME_MAX_CHARS = 200
NAMES_MAX = 1_000
READ, STRICT = "read", "strict"
# ``str.strip`` removes separators and line ends that JSON schema's patterns do not count as white space.
_NOT_BLANK = r"[^\s\x1c-\x1f\x85]"
_SHA256 = re.compile(r"[0-9a-f]{64}")

Id = Annotated[int, Meta(ge=1, le=BIGINT_MAX)]
Count = Annotated[int, Meta(ge=0, le=INT_MAX)]
Positive = Annotated[int, Meta(ge=1, le=INT_MAX)]


class FieldError(ValueError):
    """An invalid field, given by its path from the object being checked, such as ``steps.0.index``."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field, self.message = field, message

    def below(self, place: object) -> FieldError:
        """Return the same error with its path extended to the object that holds this one at ``place``."""
        return FieldError(f"{place}.{self.field}", self.message)


def checked(read: Callable[[Any], Any], **schema: Any) -> Meta:
    """Return a ``Meta`` for values that ``read`` parses; ``schema`` describes them in JSON schema."""
    return Meta(extra_json_schema=schema, extra={READ: read})


def string(max_length: int, *, may_be_blank: bool = False) -> Meta:
    """Return the ``Meta`` of a text; white space around it is stripped."""

    def read(value: str) -> str:
        stripped = value.strip()
        if not (stripped or may_be_blank):
            raise ValueError("This may not be blank.")
        if len(stripped) > max_length:
            raise ValueError(f"At most {max_length:,} characters.")
        return stripped

    least = {} if may_be_blank else {"pattern": _NOT_BLANK, "minLength": 1}
    return checked(read, **least, maxLength=max_length)


def choice(names: Iterable[str], *, may_be_blank: bool = False) -> Meta:
    """Return the ``Meta`` of a choice among names; the error for an unknown name suggests the nearest."""
    known = [*names, ""] if may_be_blank else [*names]

    def read(value: str) -> str:
        if value not in known:
            hint = did_you_mean(value[:100], filter(None, known))
            raise ValueError(f"{value[:100]!r} is not known. {hint}")
        return value

    return checked(read, enum=known)


def id_list(max_length: int) -> Meta:
    """Return the ``Meta`` of a list of 1 to ``max_length`` distinct row ids, checked in one loop."""

    def read(ids: list[Any]) -> list[Any]:
        if not 1 <= len(ids) <= max_length:
            raise ValueError(f"This has {len(ids):,} ids; between 1 and {max_length:,} are allowed.")
        for each in ids:
            if type(each) is not int or not 1 <= each <= BIGINT_MAX:
                raise ValueError(f"{str(each)[:40]!r} is not an id.")
        if len(set(ids)) < len(ids):
            raise ValueError("An id occurs twice.")
        return ids

    items = {"type": "integer", "minimum": 1, "maximum": BIGINT_MAX}
    return checked(read, items=items, minItems=1, maxItems=max_length, uniqueItems=True)


def _history_read(value: str) -> str:
    histories.history_read(name := value.strip())
    return name


def _sha256_read(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise ValueError("A SHA-256 has 64 lower-case hexadecimal digits.")
    return value


def _time_read(value: str) -> datetime:
    try:
        time = parse_datetime(value)
        if time is not None:
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("Write it as 2026-01-31T12:00:00Z.")


def _object_read(value: dict[str, Any]) -> dict[str, Any]:
    if _depth_exceeds(value, JSON_MAX_DEPTH):
        raise ValueError(f"This is nested deeper than {JSON_MAX_DEPTH} levels.")
    size = len(msgspec.json.encode(value))
    if size > JSON_MAX_BYTES:
        raise ValueError(f"This has {size:,} bytes; the limit is {JSON_MAX_BYTES:,}.")
    return value


def _numbers_read(numbers: dict[str, Any]) -> dict[str, float]:
    if not 1 <= len(numbers) <= NAMES_MAX:
        raise ValueError(f"This has {len(numbers):,} names; between 1 and {NAMES_MAX:,} are allowed.")
    for name, value in numbers.items():
        if not 1 <= len(name) <= NAME_MAX_CHARS:
            raise ValueError(f"A name must have 1 to {NAME_MAX_CHARS} characters.")
        if type(value) not in (int, float) or not math.isfinite(_float(value)):
            raise FieldError(name, "This must be a finite number.")
    return {name: float(value) for name, value in numbers.items()}


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _weights_read(value: dict[str, Any]) -> dict[str, float]:
    weights = _numbers_read(value)
    if any(weight < 0 for weight in weights.values()):
        raise ValueError("A weight must be 0 or more.")
    return weights


_numbers_schema = {
    "propertyNames": {"minLength": 1, "maxLength": NAME_MAX_CHARS},
    "minProperties": 1,
    "maxProperties": NAMES_MAX,
}
_free = {"additionalProperties": {}, "x-max-bytes": JSON_MAX_BYTES}

Moment = Annotated[datetime, Meta(tz=True)]
History = Annotated[str, checked(_history_read, pattern=histories.pattern(), minLength=1)]
Sha256 = Annotated[str, checked(_sha256_read, pattern="^[0-9a-f]{64}$", minLength=1)]
Time = Annotated[str, checked(_time_read, format="date-time")]
"""A moment in ISO 8601, in UTC unless it names a zone; parsed to a ``datetime``."""
JsonObject = Annotated[dict[str, Any], checked(_object_read, **_free)]
"""A free-form JSON object of limited size and depth."""
Numbers = Annotated[
    dict[str, Any], checked(_numbers_read, additionalProperties={"type": "number"}, **_numbers_schema)
]
"""Finite numbers by name."""
Weights = Annotated[
    dict[str, Any],
    checked(_weights_read, additionalProperties={"type": "number", "minimum": 0}, **_numbers_schema),
]
"""Finite numbers by name, none of them below 0."""


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Return whether lists and objects are nested deeper than ``limit``; uses a loop, not recursion."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        level = [child for item in level for child in _children(item)]
    return bool(level)


def _children(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict | list)]
