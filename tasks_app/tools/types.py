"""Tools: their fields, how each field is read, and what the tools answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.registry import Registry
from tasks_app.tools.data import ToolData

Kind = Literal["text", "number", "date", "time", "choice"]
"""Decides how a field is displayed and how far wrong values are (``tool_tasks/distances.py``)."""
Read = Callable[[str, ToolData], str]
"""Reads a value into canonical notation, such as ``2.5`` for ``2.50``, or raises ``ToolError``."""
Arguments = Mapping[str, str]


class ToolError(Exception):
    """The reason why a call has no result, worded for the caller."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One argument of a tool, always required. ``options`` are all values of a choice."""

    name: str
    label: str
    kind: Kind
    read: Read
    hint: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool. ``run`` receives the values as ``read`` writes them and answers in a few lines.

    ``description`` tells callers all that they need to know. ``button`` labels the form that calls the tool.
    """

    id: str
    title: str
    description: str
    button: str
    fields: tuple[Field, ...]
    run: Callable[[Arguments, ToolData], str]


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a call: the tool's answer, or the reason why there is none."""

    text: str
    is_ok: bool


TOOLS: Registry[Tool] = Registry("tool")


def tool_register(tool: Tool) -> None:
    TOOLS.register(tool.id, tool)
