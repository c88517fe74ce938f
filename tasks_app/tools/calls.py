"""Tool calls from untrusted callers. Input that cannot be read is answered with a readable message."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tools import builtin
from tasks_app.tools.data import ToolData
from tasks_app.tools.types import TOOLS, Arguments, Result, Tool, ToolError

ARGUMENT_CHARS = 200
NAME_CHARS = 40


@cache
def discover() -> None:
    """Import every tool. Calling it again has no effect."""
    TOOLS.discover(builtin)


def get_tool(tool_id: str) -> Tool:
    """Return the tool with this id. Raises ``GymError`` ``unknown_tool``."""
    discover()
    return TOOLS.get(tool_id)


def call(
    tool_id: str, arguments: Mapping[str, object], data: ToolData, *, among: Collection[str] | None = None
) -> Result:
    """Call a tool, optionally only one in ``among``, with untrusted arguments. Never raises for its input."""
    discover()
    known: Collection[str] = TOOLS if among is None else among
    if tool_id not in known:
        name = tool_id[:NAME_CHARS]
        return Result(text=f"There is no tool {name!r}. {did_you_mean(name, known)}", is_ok=False)
    tool = TOOLS.get(tool_id)
    try:
        return Result(text=tool.run(values_read(tool, arguments, data), data), is_ok=True)
    except ToolError as error:
        return Result(text=str(error), is_ok=False)


def values_read(tool: Tool, arguments: Mapping[str, object], data: ToolData) -> Arguments:
    """Read a call's values, each in its canonical notation. Raises ``ToolError``."""
    names = [field.name for field in tool.fields]
    if unknown := sorted(set(arguments) - set(names)):
        raise ToolError(f"{tool.title} has no field {unknown[0][:40]!r}: only {', '.join(names)}.")
    values = {}
    for field in tool.fields:
        text = argument_text(arguments.get(field.name))
        if not text:
            raise ToolError(f"{field.label} is missing.")
        values[field.name] = field.read(text, data)
    return values


def argument_text(value: object) -> str:
    """Return an argument, which may be a number, as one line of text. Raises ``ToolError``."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ToolError("Arguments are texts or numbers.")
    try:
        text = " ".join(str(value).split())
    except ValueError:  # an integer with more digits than Python converts to text
        text = "9" * (ARGUMENT_CHARS + 1)
    if len(text) > ARGUMENT_CHARS or "\0" in text:
        raise ToolError(f"An argument has at most {ARGUMENT_CHARS} characters, and no NUL.")
    return text
