"""The fields of actions: how each is read from JSON, its JSON schema, and what models are told of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palaestra.actions.offers import Condition

TEXT_MAX_CHARS = 100_000
TARGET_MAX_CHARS = 40
POSITION_MAX_PX = 10_000
ID_FORM = '"e" and a number, as the page shows it'
_NUMERAL = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:px)?")


class ActionInvalid(ValueError):
    """A field is missing, of the wrong type or out of range."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """``read(value, name)`` gives the checked value of a field or raises ``ActionInvalid``; ``schema`` is the
    JSON schema of what it takes."""

    read: Callable[[Any, str], Any]
    schema: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """All that is known of one field.

    ``needs`` is the condition under which it is offered. ``example`` stands in examples of the action; None
    where they leave the field out.
    """

    name: str
    reader: Reader
    description: str
    needs: Condition | None = None
    example: Any = None
    default: Any = None
    is_required: bool = True


def field(
    reader: Reader,
    description: str,
    *,
    needs: Condition | None = None,
    example: Any = None,
    is_required: bool = True,
    default: Any = None,
) -> Any:
    """A dataclass field of an action; one with a ``default`` is not required."""
    is_required = is_required and default is None
    facts = {
        "reader": reader,
        "description": description,
        "needs": needs,
        "example": example,
        "default": default,
        "is_required": is_required,
    }
    made: Any = dataclasses.field(metadata=facts, **({} if is_required else {"default": default}))
    return made


# ---- readers
def as_text(value: Any, name: str) -> str:
    """A string; a number is taken as it prints."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ActionInvalid(f'"{name}" must be a string.')
    if len(str(value)) > TEXT_MAX_CHARS:
        raise ActionInvalid(f'"{name}" is longer than {TEXT_MAX_CHARS} characters.')
    return str(value)


def as_element(value: Any, name: str) -> str:
    """An element id; the brackets that an observation puts around it are dropped."""
    if not isinstance(value, str):
        raise ActionInvalid(f'"{name}" must be an element id: {ID_FORM}.')
    return value.strip().strip("[]")[:TARGET_MAX_CHARS]


def as_flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ActionInvalid(f'"{name}" must be true or false.')
    return value


def as_number(limit: int) -> Callable[[Any, str], int]:
    """A reader of numbers between ``-limit`` and ``limit``, also as text, cut to whole ones."""

    def read(value: Any, name: str) -> int:
        if isinstance(value, str) and _NUMERAL.fullmatch(value):
            value = float(value.removesuffix("px"))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -limit <= value <= limit:
            raise ActionInvalid(f'"{name}" must be a number between {-limit} and {limit}.')
        return int(value)

    return read


def choice(*values: str) -> Reader:
    """One of a few words."""

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
# Examples leave ids open: a weak model aims at the id that an example names.
ID_OPEN = "<id>"


def target(description: str = "Id of the element.", *, example: str | None = ID_OPEN) -> Any:
    """The id of an element, empty where the action names none."""
    return field(ELEMENT, description, needs="ids", example=example, is_required=False, default="")


def x(description: str = "Pixels from the left edge of the picture.", *, example: int | None = 640) -> Any:
    return field(POSITION, description, needs="positions", example=example, is_required=False)


def y(description: str = "Pixels from the top edge of the picture.", *, example: int | None = 360) -> Any:
    return field(POSITION, description, needs="positions", example=example, is_required=False)
