"""Fields of actions: how each is read from JSON, and its JSON schema."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TEXT_MAX_CHARS = 100_000
TARGET_MAX_CHARS = 40
POSITION_MAX_PX = 10_000
ID_FORM = '"e" and a number, as the page shows it'
_NUMERAL = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:px)?")


class ActionInvalid(ValueError):
    """A field is missing, of the wrong type or out of range."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reader of a field: ``read(value, name)`` returns the checked value or raises ``ActionInvalid``.

    ``schema`` is the JSON schema of the values that the field accepts.
    """

    read: Callable[[Any, str], Any]
    schema: dict[str, Any]


def field(reader: Reader, *, default: Any = dataclasses.MISSING) -> Any:
    """Return a dataclass field of an action, named as in its spec; with a ``default`` it is not required."""
    made: Any = dataclasses.field(default=default, metadata={"reader": reader})
    return made


# ---- readers
def as_text(value: Any, name: str) -> str:
    """Return a string; numbers are converted to text. Raises ``ActionInvalid``."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ActionInvalid(f'"{name}" must be a string.')
    if len(str(value)) > TEXT_MAX_CHARS:
        raise ActionInvalid(f'"{name}" is longer than {TEXT_MAX_CHARS} characters.')
    return str(value)


def as_element(value: Any, name: str) -> str:
    """Return an element id without the brackets that observations put around it. Raises ``ActionInvalid``."""
    if not isinstance(value, str):
        raise ActionInvalid(f'"{name}" must be an element id: {ID_FORM}.')
    return value.strip().strip("[]")[:TARGET_MAX_CHARS]


def as_flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ActionInvalid(f'"{name}" must be true or false.')
    return value


def as_number(limit: int) -> Callable[[Any, str], int]:
    """Return a reader of numbers from ``-limit`` to ``limit``, also given as text, truncated to integers."""

    def read(value: Any, name: str) -> int:
        if isinstance(value, str) and _NUMERAL.fullmatch(value):
            value = float(value.removesuffix("px"))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -limit <= value <= limit:
            raise ActionInvalid(f'"{name}" must be a number between {-limit} and {limit}.')
        return int(value)

    return read


def choice(*values: str) -> Reader:
    """Return a reader that accepts one of a few words."""

    def read(value: Any, name: str) -> str:
        if value not in values:
            raise ActionInvalid(f'"{name}" must be one of: {", ".join(values)}.')
        return str(value)

    return Reader(read=read, schema={"type": "string", "enum": list(values)})


def number(limit: int) -> Reader:
    return Reader(read=as_number(limit), schema={"type": "integer", "minimum": -limit, "maximum": limit})


TEXT = Reader(read=as_text, schema={"type": "string"})
ELEMENT = Reader(read=as_element, schema={"type": "string", "pattern": "^e[0-9]+$"})
FLAG = Reader(read=as_flag, schema={"type": "boolean"})
POSITION = number(POSITION_MAX_PX)


# ---- the fields that say where an action happens
def target() -> Any:
    """Return a field for an element's id, which is empty if the action names none."""
    return field(ELEMENT, default="")


def position() -> Any:
    """Return a field for a coordinate in pixels of the picture; it is None if there is no position."""
    return field(POSITION, default=None)
