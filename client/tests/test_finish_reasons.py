from __future__ import annotations

from typing import Any

import pytest

from palaestra.completion import ending_of
from palaestra.models.replies import Reply

ENDINGS = {
    "length": """length max_tokens MAX_TOKENS maxTokens length_limit model_length max_output_tokens LENGTH
        token_limit FinishReason.MAX_TOKENS FINISH_REASON_MAX_TOKENS ERROR_LIMIT incomplete max-tokens
        model_context_window_exceeded max_length num_predict cut_off TOO_LONG tokens_exhausted
        repetition_detected""",
    "content_filter": """content_filter content-filter contentFilter CONTENT_FILTERED SAFETY IMAGE_SAFETY
        RECITATION BLOCKLIST PROHIBITED_CONTENT SPII sensitive guardrail_intervened ERROR_TOXIC refusal
        FinishReason.SAFETY content_policy LANGUAGE data_inspection_failed UNSAFE_CONTENT""",
    "error": """error ERROR abort aborted cancelled network_error insufficient_system_resource OTHER
        timeout engine_overloaded worker_lost preempted server_shutdown out_of_memory
        RESOURCE_EXHAUSTED""",
    "tool_calls": "tool_calls tool_use function_call TOOL_CALL toolCalls",
    "stop": """stop STOP eos EOS eos_token end_turn stop_sequence COMPLETE complete end stop_token
        FinishReason.STOP""",
}
NAMES = [(name, ending) for ending, names in ENDINGS.items() for name in names.split()]


@pytest.mark.parametrize(("name", "ending"), NAMES)
def test_the_end_of_a_reply_is_known_by_its_many_names(name: str, ending: str) -> None:
    assert ending_of(name) == ending


@pytest.mark.parametrize("name", [None, "", "null", "FINISH_REASON_UNSPECIFIED"])
def test_a_finish_reason_that_says_nothing_is_none(name: str | None) -> None:
    assert ending_of(name) is None


@pytest.mark.parametrize(
    ("choice", "finish_reason"),
    [
        ({"finish_reason": {"type": "length", "length": 9}}, "length"),
        ({"stop_reason": "max_tokens"}, "max_tokens"),
        ({"finishReason": "MAX_TOKENS"}, "MAX_TOKENS"),
        ({"finish_reason": "stop", "stop_reason": "length"}, "stop"),
        ({"finish_reason": "stop", "stop_reason": 151645}, "stop"),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_finish_reason_is_read_wherever_it_stands(
    is_streamed: bool, choice: dict[str, Any], finish_reason: str
) -> None:
    reply = Reply(is_streamed=is_streamed)
    reply.add({"choices": [{"message": {"content": "Hm."}, **choice}]})
    assert reply.completion().finish_reason == finish_reason


def test_the_whole_message_at_the_end_of_its_stream_counts_once() -> None:
    reply = Reply(is_streamed=True)
    for piece in ("Answer", ": 42"):
        reply.add({"choices": [{"delta": {"content": piece}}]})
    reply.add({"choices": [{"message": {"content": "Answer: 42"}, "finish_reason": "stop"}]})
    assert reply.completion().text == "Answer: 42"
