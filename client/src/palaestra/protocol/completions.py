"""Completions that call tools: their records, and the messages that show them to their model.

Such a completion is recorded as a JSON object with ``content`` and ``tool_calls``; any other is recorded as
its text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]

ELSEWHERE = "See the result of the last call."
"""The result of all calls but the last, in a turn with several calls."""
_KEYS = {"content", "tool_calls"}


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """A tool call. ``arguments`` are as the model wrote them, and may not be valid JSON."""

    name: str
    arguments: str
    id: str = ""


def record_write(content: str, calls: Sequence[RecordedCall]) -> str:
    """Return the text that is recorded for a completion that calls tools."""
    named = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    return json.dumps({"content": content, "tool_calls": named}, ensure_ascii=False)


def record_read(raw: str) -> tuple[str, list[RecordedCall]]:
    """Return the text and the calls of a recorded completion.

    A record that was cut off, or that contains no calls, is returned as text.
    """
    try:
        record = json.loads(raw)
        calls = [_call_read(call) for call in record["tool_calls"]]
        is_record = record.keys() == _KEYS and isinstance(record["tool_calls"], list)
        # Text that cannot be encoded was never sent, so this is not a record written by ``record_write``.
        (record["content"] + "".join(call.name + call.arguments + call.id for call in calls)).encode()
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return raw, []
    return (record["content"], calls) if is_record else (raw, [])


def assistant_message(content: str, calls: Sequence[RecordedCall]) -> Message:
    """Return the message that shows a model its own earlier completion."""
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return message


def call_results(call_ids: Sequence[str], message: Message) -> list[Message]:
    """Return ``message`` as the result of the last tool call, or unchanged if there are no calls."""
    if not call_ids:
        return [message]
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
    results: list[Message] = [
        {"role": "tool", "tool_call_id": call_id, "content": ELSEWHERE} for call_id in call_ids
    ]
    results[-1]["content"] = text
    # Tool results can contain only text, so other content follows in a user message.
    others = [part for part in parts if part["type"] != "text"]
    return [*results, {"role": "user", "content": others}] if others else results


def _call_read(call: Any) -> RecordedCall:
    """Parse one recorded call. Raises ``TypeError`` or ``KeyError`` if it is not one."""
    name, arguments, id_ = call["name"], call["arguments"], call.get("id", "")
    if not all(isinstance(part, str) for part in (name, arguments, id_)):
        raise TypeError("a part of a call is not a string")
    return RecordedCall(name=name, arguments=arguments, id=id_)
