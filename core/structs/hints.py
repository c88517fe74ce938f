"""Explanations of msgspec's errors, with the names or values that would have been valid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from msgspec import inspect

from palaestra.protocol.suggestions import did_you_mean

_STEP = re.compile(r"(\w+)|\[[^\]]*\]")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_UNKNOWN_VALUE = re.compile(r"Invalid enum value '?(.*?)'?", re.DOTALL)
_OTHER_TYPE = re.compile(r"Expected `([a-z |]+)`, got `(\w+)`")
_OTHER_NUMBER = re.compile(r"Expected `(?:int|float)` ([<>]=?) (\S+)")
_OTHER_LENGTH = re.compile(r"Expected `(str|array|object)` of length (<=|>=) (\d+)")
_WORD_MAX_CHARS = 100
REQUIRED = "This field is required."

_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_SENT = _KINDS | {"int": "a number", "float": "a decimal number", "bool": "a boolean"}
_LIMITS = {"<=": "at most", ">=": "at least", "<": "below", ">": "above"}
_PARTS = {"str": "characters", "array": "items", "object": "names"}


def explain(error: str, *, place: str, hint: Any) -> str:
    """Explain msgspec's error about the value at a path such as ``.steps[0].actor`` in a type."""
    if match := _UNKNOWN_FIELD.fullmatch(error):
        return describe_unknown(match[1], _names(place, hint)).removesuffix(" None is known.")
    if _MISSING_FIELD.fullmatch(error):
        return REQUIRED
    if match := _UNKNOWN_VALUE.fullmatch(error):
        name = match[1][:_WORD_MAX_CHARS]
        return f"{name!r} is not known. {_nearest(name, _choices(place, hint))}".rstrip()
    if match := _OTHER_TYPE.fullmatch(error):
        valid = " or ".join(_KINDS.get(kind, kind) for kind in match[1].split(" | "))
        return f"This must be {valid}, not {_SENT.get(match[2], match[2])}."
    if match := _OTHER_NUMBER.fullmatch(error):
        return f"This must be {_LIMITS[match[1]]} {match[2]}."
    if match := _OTHER_LENGTH.fullmatch(error):
        if (match[2], match[3]) == (">=", "1"):
            return "This may not be blank." if match[1] == "str" else "This may not be empty."
        return f"{_LIMITS[match[2]].capitalize()} {int(match[3]):,} {_PARTS[match[1]]}."
    return error if error.endswith(".") else f"{error}."


def describe_unknown(name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown field, which suggests the nearest known field."""
    return f"There is no field {name[:_WORD_MAX_CHARS]!r}. {did_you_mean(name[:_WORD_MAX_CHARS], known)}"


def _nearest(name: str, known: set[str]) -> str:
    return did_you_mean(name, known) if known else ""


def _names(place: str, hint: Any) -> set[str]:
    structs = (node for node in _nodes_at(hint, place) if isinstance(node, inspect.StructType))
    return {field.encode_name for node in structs for field in node.fields}


def _choices(place: str, hint: Any) -> set[str]:
    return {str(value) for node in _nodes_at(hint, place) for value in _values(node)}


def _nodes_at(hint: Any, place: str) -> Iterator[inspect.Type]:
    """Yield the types that the value at a path may have; unions are split into their members."""
    nodes = list(_members(inspect.type_info(hint)))
    for step in _STEP.finditer(place):
        nodes = [member for node in nodes for child in _children(node, step[1]) for member in _members(child)]
    yield from nodes


def _members(node: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(node, inspect.Metadata):
        yield from _members(node.type)
    elif isinstance(node, inspect.UnionType):
        for member in node.types:
            yield from _members(member)
    else:
        yield node


def _children(node: inspect.Type, name: str | None) -> Iterator[inspect.Type]:
    """Yield the type of a struct's field, or else the type of a list's items or a mapping's values."""
    if isinstance(node, inspect.StructType):
        yield from (field.type for field in node.fields if field.encode_name == name)
    elif isinstance(node, inspect.ListType):
        yield node.item_type
    elif isinstance(node, inspect.DictType):
        yield node.value_type


def _values(node: inspect.Type) -> Iterator[Any]:
    if isinstance(node, inspect.LiteralType):
        yield from node.values
    elif isinstance(node, inspect.EnumType | inspect.CustomType) and issubclass(node.cls, Enum):
        yield from (member.value for member in node.cls)
