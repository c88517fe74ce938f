"""Computer use: one tool for mouse and keyboard, as defined by Anthropic and OpenAI.

Positions are those of pixels in a picture.

Actions that the tool cannot express (go to a URL, choose an option, give up, ...) are separate functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from palaestra.actions import ACTIONS, ActionInvalid
from palaestra.completion import Completion, ToolCall
from palaestra.grammars.base import list_singles
from palaestra.grammars.counterparts import (
    ANTHROPIC,
    OPENAI,
    Counterpart,
    counterpart_write,
    find_counterpart,
    parts_of,
)
from palaestra.grammars.schemas import Schema
from palaestra.grammars.tools import ToolGrammar, call_make, function_tool
from palaestra.protocol.offers import Conditions

TOOL = "computer"
DESCRIPTION = (
    "Use mouse and keyboard on the page in the picture. Positions are pixels from the top left corner of the "
    "picture. Typed text goes where the focus is: click a field first."
)
POSITION = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
PIXELS = {"type": "integer"}


class ComputerGrammar(ToolGrammar):
    """A grammar for one computer use tool.

    ``table`` lists the tool's actions. ``key`` is the argument that names an action, ``batch`` the argument
    that lists several, and ``schemas`` are the JSON schemas of the arguments by name.
    """

    table: ClassVar[Sequence[Counterpart]]
    key: ClassVar[str]
    batch: ClassVar[str] = ""
    schemas: ClassVar[Mapping[str, Schema]]

    def declared(self, name: str, fields: dict[str, Any], conditions: Conditions) -> list[dict[str, Any]]:
        if name == TOOL and isinstance(fields.get(self.batch), list):
            return [self._read(each) for each in fields[self.batch]]
        if name == TOOL:
            return [self._read(fields)]
        if find_counterpart(name, self.table) and name not in self._functions(conditions):
            return [self._read({**fields, self.key: name})]
        if name in ACTIONS:
            return [{**fields, "type": name}]
        known = ", ".join((TOOL, *self._functions(conditions)))
        raise ActionInvalid(f"There is no tool {name!r:.40}. Known: {known}.")

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        calls = list(self._calls(declared))
        turns = [calls] if declared["type"] == "sequence" else [[call] for call in calls]
        return [
            Completion(text="" if number else thought, tool_calls=tuple(turn))
            for number, turn in enumerate(turns)
        ]

    def tools(self, conditions: Conditions) -> list[dict[str, Any]]:
        without_ids = conditions - {"ids"}
        functions = [function_tool(kind, without_ids) for kind in self._functions(conditions)]
        return [self._tool(conditions), *functions] if "page" in conditions else functions

    def _read(self, fields: Any) -> dict[str, Any]:
        kind = fields.get(self.key) if isinstance(fields, dict) else None
        row = find_counterpart(kind, self.table) if isinstance(kind, str) else None
        if row is None:
            known = ", ".join(row.name for row in self.table if row.type)
            raise ActionInvalid(f'"{self.key}" names the action of "{TOOL}". Known: {known}.')
        return row.read({name: value for name, value in fields.items() if name != self.key})

    def _calls(self, declared: Mapping[str, Any]) -> Iterator[ToolCall]:
        written = counterpart_write(declared, self.table)
        if written is not None:
            yield call_make(TOOL, {self.key: written[0], **written[1]})
        elif declared["type"] not in {"sequence", *(row.type for row in self.table)}:
            yield call_make(
                declared["type"], {key: value for key, value in declared.items() if key != "type"}
            )
        else:
            for part in parts_of(declared):
                yield from self._calls(part)

    def _functions(self, conditions: Conditions) -> list[str]:
        """Return the actions that are separate functions."""
        of_tool = {row.type for row in self.table}
        return [kind for kind in list_singles(conditions - {"ids"}) if kind not in of_tool]

    def _tool(self, conditions: Conditions) -> dict[str, Any]:
        rows = [row for row in self.table if row.type]
        names = dict.fromkeys(name for row in rows for name in row.fields)
        properties = {
            self.key: {"type": "string", "enum": [row.name for row in rows]},
            **{name: self.schemas[name] for name in names},
        }
        parameters = {"type": "object", "properties": properties, "required": [self.key]}
        return {
            "type": "function",
            "function": {"name": TOOL, "description": DESCRIPTION, "parameters": parameters},
        }


class ComputerAnthropic(ComputerGrammar):
    id = "computer_anthropic"
    table = ANTHROPIC
    key = "action"
    schemas: ClassVar = {
        "coordinate": {**POSITION, "description": "[x, y] of the action; where a drag ends."},
        "start_coordinate": {**POSITION, "description": "[x, y] where a drag begins."},
        "scroll_direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
        "scroll_amount": {"type": "number", "description": "Notches of the mouse wheel."},
        "text": {"type": "string", "description": "The text to type, or the key to press, such as ctrl+a."},
        "duration": {"type": "number", "description": "Seconds to wait."},
    }


class ComputerOpenai(ComputerGrammar):
    id = "computer_openai"
    table = OPENAI
    key = "type"
    batch = "actions"
    schemas: ClassVar = {
        "x": PIXELS,
        "y": PIXELS,
        "button": {"type": "string", "enum": ["left", "right", "wheel"]},
        "path": {
            "type": "array",
            "description": "Where a drag begins and ends.",
            "items": {"type": "object", "properties": {"x": PIXELS, "y": PIXELS}, "required": ["x", "y"]},
        },
        "scroll_x": PIXELS,
        "scroll_y": {**PIXELS, "description": "Pixels to scroll by; positive is down."},
        "text": {"type": "string", "description": "The text to type."},
        "keys": {
            "type": "array",
            "description": "The keys to press together, such as CTRL and A.",
            "items": {"type": "string"},
        },
        "ms": {"type": "integer", "description": "Milliseconds to wait."},
    }
