"""Actions as JSON on the last line, parsed and never evaluated.

Free reasoning comes first (the thought), then one line ``Action: {json object}``. The last line that begins
with ``Action:`` counts. Models write it in many ways, and what can only be meant in one way is taken: the
object on later lines or in a fenced block, words after it, a call such as ``click(e8)``, an object at the end
of a completion without the line. Anything else is a parse error, which says what to write instead and which
the model is shown; no input makes this module raise.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

from palaestra.actions import ACTIONS
from palaestra.completion import Completion
from palaestra.grammars.base import Grammar, Turn, turn_checked
from palaestra.grammars.lenient_json import Unreadable, space_skip, value_read

ACTION_MAX_CHARS = 200_000
EXAMPLE = 'Action: {"type": "click", "target": "e8"}'
# What stands around the word in lists, quotes, headings and emphasis.
_ACTION = re.compile(r"^[ \t>#*_`-]*Action[*_`]*[ \t]*:[ \t*_]*", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:`{1,3}|~{3})(?:json|python)?\s*")
_OBJECT = re.compile(r"^[ \t`]*\{", re.MULTILINE)
_FENCE_END = re.compile(r"[\s`~]*")
_NAME = re.compile(r"([A-Za-z_]+)[ \t]*")
_ELEMENT = re.compile(r"\[?(e\d{1,9})\]?(?![\w\"'])")
_MORE = re.compile(rf"\{{|\b(?:{'|'.join(sorted(ACTIONS))})\(")
_TYPE_KEYS = ("type", "action", "name")
_FIELD_KEYS = ("arguments", "parameters", "args")
_CALL_TYPES = ("function", "function_call", "tool_use", "tool_call")
_OBJECTS_TRIED = 8


class Json(Grammar):
    id = "json"

    def parse(self, completion: Completion) -> Turn:
        return turn_parse(completion.text)

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        return [Completion(text=f"{thought}\n{action_line(**declared)}".lstrip())]


def turn_parse(text: str) -> Turn:
    """Parse the text of a completion. Never raises."""
    line = max(_ACTION.finditer(text), key=re.Match.start, default=None)
    if line is None:
        return _final_object(text)
    thought = text[: line.start()].strip()
    try:
        return turn_checked(thought, _declared(text[line.end() :]))
    except Unreadable as failure:
        return Turn(thought=thought, parse_error=str(failure))


def action_line(type: str, **fields: object) -> str:
    """The line that declares one action."""
    return "Action: " + json.dumps({"type": type, **fields}, ensure_ascii=False)


def _final_object(completion: str) -> Turn:
    """The action of a completion that ends with an object and has no ``Action:``."""
    for start in list(_OBJECT.finditer(completion))[: -_OBJECTS_TRIED - 1 : -1]:
        try:
            value, end = value_read(completion, start.end() - 1)
            declared = _normalised(value)
        except Unreadable:
            continue
        if declared.get("type") in ACTIONS and _FENCE_END.fullmatch(completion, end):
            return turn_checked(completion[: start.start()].removesuffix("json\n").strip("`~ \n"), declared)
    missing = f'There is no line that begins with "Action:". End your turn with one, such as: {EXAMPLE}'
    return Turn(thought=completion.strip(), parse_error=missing)


# ---- what follows "Action:"
def _declared(text: str) -> dict[str, Any]:
    if len(text) > ACTION_MAX_CHARS:
        raise Unreadable(f"The action is longer than {ACTION_MAX_CHARS} characters.")
    fence = _FENCE.match(text)
    at = space_skip(text, fence.end() if fence else 0)
    if text[at : at + 1] == "{":
        value, end = value_read(text, at)
        declared = _normalised(value)
    else:
        declared, end = _call(text, at)
    if _MORE.search(text, end):
        raise Unreadable(f"There is more than one action. Write one per turn, such as: {EXAMPLE}")
    return declared


def _normalised(value: dict[str, Any]) -> dict[str, Any]:
    """The object with its action's name under ``type`` and the fields beside it.

    Takes ``{"name": ..., "arguments": {...}}``, ``{"action": ..., ...}``, ``{"click": {...}}`` and the
    envelopes of function calls.
    """
    if value.get("type") in _CALL_TYPES:
        inner = value.get("function")
        return _normalised(
            inner if isinstance(inner, dict) else {k: v for k, v in value.items() if k != "type"}
        )
    if "type" not in value and len(value) == 1:
        [(name, fields)] = value.items()
        if name in ACTIONS and isinstance(fields, dict) and "type" not in fields:
            return {"type": name, **fields}
    name = next((key for key in _TYPE_KEYS if isinstance(value.get(key), str)), "")
    fields = next((key for key in _FIELD_KEYS if isinstance(value.get(key), (dict, str))), "")
    if not name or (fields and set(value) - {name, fields}):
        return value
    rest = value[fields] if fields else {key: item for key, item in value.items() if key != name}
    if isinstance(rest, str):  # OpenAI sends the fields as a text of their own
        rest = value_read(rest)[0]
    return {"type": value[name], **rest} if isinstance(rest, dict) and "type" not in rest else value


# ---- calls: click(e8), type("e3", text="162"), back
def _call(text: str, at: int) -> tuple[dict[str, Any], int]:
    line_end = text.find("\n", at)
    shown = text[at : line_end if line_end >= 0 else None][:40].strip()
    name = _NAME.match(text, at)
    if name is None or name[1] not in ACTIONS:
        known = ", ".join(sorted(ACTIONS))
        begin = f"{shown!r} is no action." if shown else "There is nothing after it."
        raise Unreadable(f'After "Action:" write one JSON object, such as: {EXAMPLE} {begin} Known: {known}.')
    names = [spec.name for spec in dataclasses.fields(ACTIONS[name[1]])]
    at = name.end()
    if text[at : at + 1] != "(":
        return _bare(text, at, name[1], names)
    declared: dict[str, Any] = {"type": name[1]}
    at = space_skip(text, at + 1)
    while text[at : at + 1] != ")":
        key, at = _keyword(text, at, [field for field in names if field not in declared], names)
        if key in declared:
            raise Unreadable(f'"{key}" stands twice in the call.')
        declared[key], at = _argument(text, at)
        at = space_skip(text, at)
        if text[at : at + 1] == ",":
            at = space_skip(text, at + 1)
        elif text[at : at + 1] != ")":
            raise Unreadable(f"The call {shown!r} cannot be read. Write a JSON object instead: {EXAMPLE}")
    return declared, at + 1


def _keyword(text: str, at: int, free: list[str], names: list[str]) -> tuple[str, int]:
    """The field that an argument is for: the one named before it, or the next in order."""
    named = re.compile(r"([A-Za-z_]+)\s*[=:]\s*").match(text, at)
    if named and named[1] in names:
        return named[1], named.end()
    if not free:
        raise Unreadable(f"The call has too many values. Its fields: {', '.join(names) or 'none'}.")
    return free[0], at


def _argument(text: str, at: int) -> tuple[Any, int]:
    element = _ELEMENT.match(text, at)
    return (element[1], element.end()) if element else value_read(text, at)


def _bare(text: str, at: int, name: str, names: list[str]) -> tuple[dict[str, Any], int]:
    """``click e8``, ``back``: an action, and at most its element, alone on the line."""
    line = text[at:].split("\n", 1)[0]
    element = _ELEMENT.match(text, at) if "target" in names else None
    rest = text[element.end() if element else at : at + len(line)]
    if rest.strip(" \t.`*"):
        fields = ", ".join(f'"{field}": ...' for field in names)
        raise Unreadable(f'Write the action as a JSON object: Action: {{"type": "{name}", {fields}}}')
    declared = {"type": name, "target": element[1]} if element else {"type": name}
    return declared, at + len(line)
