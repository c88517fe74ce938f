"""Shapes of replies that other services' own formats leave behind, whole and as parts of a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from palaestra.models.replies import Reply

CALL = {"name": "click", "arguments": '{"target": "e8"}'}
DONE = [("click", {"target": "e8"})]
BEDROCK = [
    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
    {"text": "So."},
    {"toolUse": {"toolUseId": "t", "name": "click", "input": {"target": "e8"}}},
]
GEMINI = {
    "role": "model",
    "parts": [
        {"text": "hm", "thought": True},
        {"text": "So."},
        {"functionCall": {"name": "click", "args": {"target": "e8"}}},
    ],
}
NUMBERED = [
    {"tool_calls": [{"index": "0", "function": {"name": "click", "arguments": '{"target"'}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": ': "e8"}'}}]},
]


def replied(*messages: Any, is_streamed: bool) -> tuple[str, str | None, list[tuple[str, Any]]]:
    reply = Reply(is_streamed=is_streamed)
    for message in messages:
        reply.add({"choices": [{"delta" if is_streamed else "message": message}]})
    reply.add({"choices": [{"finish_reason": "stop"}]})
    read = reply.completion()
    calls = [(call.name, json.loads(call.arguments)) for call in read.tool_calls]
    return read.text, read.reasoning, calls


@pytest.mark.parametrize("is_streamed", [True, False])
@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"content": BEDROCK}, ("So.", "hm", DONE)),
        ({"content": GEMINI}, ("So.", "hm", DONE)),
        ({"content": "So.", "thoughts": "hm"}, ("So.", "hm", [])),
        ({"content": "", "tool_calls": json.dumps([{"function": CALL}])}, ("", None, DONE)),
        ({"content": "", "tool_calls": [json.dumps(CALL)]}, ("", None, DONE)),
        ({"content": "", "tool_calls": "none"}, ("", None, [])),
        ({"content": [{"table": {"text": "So."}}]}, ("So.", None, [])),
    ],
    ids=repr,
)
def test_parts_named_by_their_key_and_calls_as_text_are_read(
    message: Any, read: tuple[Any, ...], is_streamed: bool
) -> None:
    assert replied(message, is_streamed=is_streamed) == read


def test_pieces_numbered_by_text_and_by_number_belong_together() -> None:
    assert replied(*NUMBERED, is_streamed=True)[2] == DONE
