"""Grammars whose actions are tool calls; in ``functions``, each action is a function of its own."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from palaestra.actions import ACTIONS, ActionInvalid
from palaestra.completion import Completion, ToolCall
from palaestra.end_tokens import end_cut
from palaestra.grammars.base import Grammar, Turn, check_turn, list_singles, split_singles
from palaestra.grammars.envelopes import function_name
from palaestra.grammars.lenient_json import Unreadable, space_skip, value_read
from palaestra.grammars.native_calls import calls_find, cut_thought
from palaestra.grammars.schemas import fields_schemas, nulls_drop, object_schema
from palaestra.protocol.actions import ACTION_SPECS
from palaestra.protocol.completions import (
    RecordedCall,
    assistant_message,
    call_results,
    record_read,
    record_write,
)
from palaestra.protocol.offers import Conditions
from palaestra.records import Message

_NO_ARGUMENTS = ("", "null", "[]")  # servers in PHP write the last one
RECORD_BEGIN = '{"content": '
NO_CALL = "You called no function. End your turn with a call of one of: {}."


class ToolGrammar(Grammar):
    """A grammar whose completions call tools.

    Calls in the model's own markup count too: they remain in the text if the endpoint has no parser for them.
    """

    @abstractmethod
    def declared(self, name: str, fields: dict[str, Any], conditions: Conditions) -> list[dict[str, Any]]:
        """Return the actions that one call declares. Raises ``ActionInvalid``."""

    @abstractmethod
    def tools(self, conditions: Conditions) -> list[dict[str, Any]]:
        """Return the ``tools`` to send to an endpoint."""

    def parse(self, completion: Completion, conditions: Conditions, *, shown: str = "") -> Turn:
        offered = {tool["function"]["name"]: tool["function"] for tool in self.tools(conditions)}
        thought = completion.text.strip()
        try:
            if completion.tool_calls:
                calls = [
                    (function_name(call.name), arguments_read(call.arguments))
                    for call in completion.tool_calls
                ]
            else:
                thought = cut_thought(completion.text)
                thought, calls = calls_find(completion.text, _schemas(offered))
            declared = [
                action
                for name, fields in calls
                for action in self.declared(name, nulls_drop(fields), conditions)
            ]
        except (ActionInvalid, Unreadable) as failure:
            return Turn(thought=thought, parse_error=str(failure))
        if not declared:
            return Turn(thought=thought, parse_error=NO_CALL.format(", ".join(offered)))
        return check_turn(thought, declared, conditions)

    # ---- the conversation
    def raw(self, completion: Completion) -> str:
        if not completion.tool_calls and not completion.text.startswith(RECORD_BEGIN):
            return completion.text
        calls = [
            RecordedCall(id=call.id or f"call_{number}", name=call.name, arguments=call.arguments)
            for number, call in enumerate(completion.tool_calls)
        ]
        return record_write(completion.text, calls)

    def completion_message(self, raw: str) -> Message:
        content, calls = record_read(raw)
        sendable = [
            replace(call, name=function_name(call.name), arguments=_arguments_sendable(call.arguments))
            for call in calls
        ]
        return assistant_message(content, sendable)

    def result_messages(self, raw: str, message: Message) -> list[Message]:
        return call_results([call.id for call in record_read(raw)[1]], message)


def call_make(name: str, fields: Mapping[str, Any]) -> ToolCall:
    return ToolCall(name=name, arguments=json.dumps(fields, ensure_ascii=False))


def arguments_read(text: str) -> dict[str, Any]:
    """Parse the arguments of a call and drop those that are null. Raises ``Unreadable``."""
    text = end_cut(text).rstrip().removesuffix("</tool_call>")
    if text.strip() in _NO_ARGUMENTS:
        return {}
    value, end = value_read(text)
    if isinstance(value, str) and text.lstrip().startswith('"'):  # the object was encoded twice, as a string
        text, (value, end) = value, value_read(value)
    if not isinstance(value, dict) or space_skip(text, end) < len(text):
        raise Unreadable("The arguments of a call are one JSON object: { ... }.")
    return nulls_drop(value)


def _schemas(offered: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return each function's argument schemas; actions that are not offered have an empty dictionary."""
    named: dict[str, Mapping[str, Any]] = {kind: {} for kind in ACTIONS}
    return named | {name: function["parameters"].get("properties", {}) for name, function in offered.items()}


def _arguments_sendable(text: str) -> str:
    """Return arguments that can be sent back to an endpoint.

    Many endpoints refuse every later turn of a conversation in which some arguments are not a JSON object.
    """
    try:
        strict = json.loads(text)
    except (ValueError, RecursionError):
        strict = None
    try:
        value = arguments_read(text)
    except Unreadable:
        return text if isinstance(strict, dict) else "{}"
    is_same = isinstance(strict, dict) and nulls_drop(strict) == value
    return text if is_same else json.dumps(value, ensure_ascii=False)


# ---- tools built from the action table
def function_tool(kind: str, conditions: Conditions) -> dict[str, Any]:
    """Return the function tool for an action, with a strict schema.

    Every field is required; optional fields may be null.
    """
    return {
        "type": "function",
        "function": {
            "name": kind,
            "description": ACTION_SPECS[kind].description,
            "strict": True,
            "parameters": object_schema(fields_schemas(kind, conditions)),
        },
    }


class Functions(ToolGrammar):
    id = "functions"

    def declared(self, name: str, fields: dict[str, Any], conditions: Conditions) -> list[dict[str, Any]]:
        if name not in ACTIONS:
            known = ", ".join(list_singles(conditions))
            raise ActionInvalid(f"There is no function {name!r:.40}. Known: {known}.")
        return [{**fields, "type": name}]

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        calls = [
            call_make(action["type"], {name: value for name, value in action.items() if name != "type"})
            for action in split_singles(declared)
        ]
        return [Completion(text=thought, tool_calls=tuple(calls))]

    def tools(self, conditions: Conditions) -> list[dict[str, Any]]:
        return [function_tool(kind, conditions) for kind in list_singles(conditions)]
