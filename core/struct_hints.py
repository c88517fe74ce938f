"""Hints that msgspec's errors lack: names or values that would have been valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import inspect

from palaestra.protocol.suggestions import did_you_mean

_STEP = re.compile(r"(\w+)|\[[^\]]*\]")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_UNKNOWN_VALUE = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_WORD_MAX_CHARS = 100


def hint(error: str, *, place: str, model: type[msgspec.Struct]) -> str:
    """Hint at valid input for an error at a path such as ``steps[0].actor``; empty if there is none."""
    nodes = list(_nodes_at(model, place))
    if match := _UNKNOWN_FIELD.fullmatch(error):
        names = {
            field.encode_name
            for node in nodes
            if isinstance(node, inspect.StructType)
            for field in node.fields
        }
    elif match := _UNKNOWN_VALUE.fullmatch(error):
        names = {str(value) for node in nodes for value in _values(node)}
    else:
        return ""
    return did_you_mean(match[1][:_WORD_MAX_CHARS], names) if names else ""


def _nodes_at(model: type[msgspec.Struct], place: str) -> Iterator[inspect.Type]:
    """Yield the types that a path may have; unions are split into their members."""
    nodes = list(_members(_type_of(model)))
    for step in _STEP.finditer(place):
        nodes = [member for node in nodes for child in _children(node, step[1]) for member in _members(child)]
    yield from nodes


_type_of = lru_cache(maxsize=64)(inspect.type_info)


def _members(node: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(node, inspect.Metadata):
        yield from _members(node.type)
    elif isinstance(node, inspect.UnionType):
        for member in node.types:
            yield from _members(member)
    else:
        yield node


def _children(node: inspect.Type, name: str | None) -> Iterator[inspect.Type]:
    """Yield the field of that name, or without a name the items of a list and the values of a mapping."""
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
