"""Tools: their fields, how each is read, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.registry import Registry
from tasks_app.tools.data import ToolData

Kind = Literal["text", "number", "date", "time", "choice"]
"""The display of a field, and the distance of a wrong value (``tool_tasks/distances.py``)."""
Read = Callable[[str, ToolData], str]
"""Reads a value into its one notation, such as ``2.5`` for ``2.50``. Raises ``ToolError`` if it cannot."""
Arguments = Mapping[str, str]


class ToolError(Exception):
    """The reason why a call has no result, in words for the caller."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One argument; every field of a tool is required. ``options`` are all values of a choice."""

    name: str
    label: str
    kind: Kind
    read: Read
    hint: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """``run`` gets the values as ``read`` writes them, and answers in a line or a few.

    ``description`` says all that a caller has to know; ``button`` is on the form that calls the tool.
    """

    id: str
    title: str
    description: str
    button: str
    fields: tuple[Field, ...]
    run: Callable[[Arguments, ToolData], str]


@dataclass(frozen=True, kw_only=True)
class Result:
    """Result of a call: the tool's answer, or why there is none."""

    text: str
    is_ok: bool


TOOLS: Registry[Tool] = Registry("tool")


def tool_register(tool: Tool) -> None:
    TOOLS.register(tool.id, tool)
