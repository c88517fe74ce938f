"""The objects in which models wrap an action or a call, with many different keys for its name and fields."""

from __future__ import annotations

import re
from typing import Any

from palaestra.actions import ACTIONS
from palaestra.grammars.lenient_json import Unreadable, value_read

NO_NAME = 'A call is one JSON object with a "name" and "arguments".'
_TYPE_KEYS = ("type", "action", "name")
_FIELD_KEYS = ("arguments", "parameters", "args")
_CALL_TYPES = ("function", "function_call", "tool_use", "tool_call")
# Other names for a call's name and its fields, and further keys that a call may have.
_OTHER_KEYS = {
    "tool_name": "name",
    "tool": "name",
    "function": "name",
    "function_name": "name",
    "input": "arguments",
    "tool_input": "arguments",
}
# functions.click:0 (Kimi), default_api.click (Gemini), click<|channel|>commentary (gpt-oss)
_FUNCTION = re.compile(
    r"\s*(?:functions?[.:]|default_api[.:])?(?P<name>[A-Za-z_][\w-]*)(?::\d+)?\s*(?:<[|｜].*)?", re.DOTALL
)
_IDS = frozenset({"id", "call_id", "tool_call_id"})


def envelope_open(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object as a flat action: its name under ``type`` and its fields next to that.

    Accepts ``{"name": ..., "arguments": {...}}``, ``{"action": ..., ...}``, ``{"click": {...}}`` and the
    envelopes of function calls.
    """
    if value.get("type") in _CALL_TYPES:
        inner = value.get("function")
        return envelope_open(
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
    if isinstance(rest, str):  # OpenAI sends the fields as a JSON string
        rest = value_read(rest)[0]
    return {"type": value[name], **rest} if isinstance(rest, dict) and "type" not in rest else value


def call_open(value: object) -> tuple[str, dict[str, Any]]:
    """Return the name and arguments of a call that was written as an object. Raises ``Unreadable``."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict):
        raise Unreadable(NO_NAME)
    if len(value) == 1:
        [(name, fields)] = value.items()
        if isinstance(fields, dict) and name not in _FIELD_KEYS:
            return name, fields
    value = {_renamed(key, value): item for key, item in value.items() if key not in _IDS}
    match value:
        # The arguments may themselves have a field "type", which is not the call's name.
        case {"name": str(name), "arguments": {"type": _}, **others} if not others:
            return function_name(name), dict(value["arguments"])
    opened = dict(envelope_open(value))
    name = opened.pop("type", None)
    if not isinstance(name, str):
        raise Unreadable(NO_NAME)
    return function_name(name), opened


def function_name(written: str) -> str:
    """Return a function's name without the namespace, number and tokens that models write around it."""
    match = _FUNCTION.fullmatch(written)
    return match["name"] if match else written


def _renamed(key: str, value: dict[str, Any]) -> str:
    """Return our name for a key of a call, or the key itself if the call also has a key with our name."""
    own = _OTHER_KEYS.get(key, key)
    return key if own in value else own
