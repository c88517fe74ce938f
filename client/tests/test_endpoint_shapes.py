"""Replies in the shapes of many endpoints, whole and streamed: none is lost or the policy's fault."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from endpoint_calls import complete
from fake_model import FakeModel
from fake_model import Reply as Sent
from palaestra import Completion, Usage
from palaestra.errors import ContextOverflow, ModelFailure
from palaestra.models.endpoint import Endpoint
from palaestra.models.failures import StreamBroken, classify_failure
from palaestra.models.replies import Reply, list_model_ids, usage_read

pytestmark = pytest.mark.usefixtures("short_pauses")
CALL = {"name": "click", "arguments": '{"target": "e8"}'}
DONE = [("click", {"target": "e8"})]
TWO = [("note", {"text": "a"}), ("click", {"target": "e8"})]


@dataclass(frozen=True)
class Family:
    """One way to write a reply. Unless ``parts`` says how it is streamed, the message is one part."""

    id: str
    message: Any
    parts: list[Any] | None = None
    text: str = ""
    reasoning: str | None = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def call(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [fields]}


FAMILIES = [
    # ---- calls
    Family("as OpenAI sends it", call(index=0, id="c", type="function", function=CALL), calls=DONE),
    Family("without a type", call(id="c", function=CALL), calls=DONE),
    Family("an empty type", call(id="c", type="", function=CALL), calls=DONE),
    Family("a type of its own", call(id="c", type="tool", function=CALL), calls=DONE),
    Family("without an id", call(function=CALL), calls=DONE),
    Family("the call itself", call(type="function_call", call_id="c", **CALL), calls=DONE),
    Family("arguments as an object", call(function={**CALL, "arguments": {"target": "e8"}}), calls=DONE),
    Family("input for arguments", call(function={"name": "click", "input": {"target": "e8"}}), calls=DONE),
    Family("the older field", {"content": None, "function_call": CALL}, calls=DONE),
    Family("the older field besides the newer", {**call(function=CALL), "function_call": CALL}, calls=DONE),
    Family("one call without a list", {"content": "", "tool_calls": {"function": CALL}}, calls=DONE),
    Family("no calls as null", {"content": "Hm.", "tool_calls": None, "function_call": None}, text="Hm."),
    Family(
        "a call among the parts of the content",
        {
            "content": [
                {"type": "text", "text": "So."},
                {"type": "tool_use", "id": "t", "name": "click", "input": {"target": "e8"}},
            ]
        },
        text="So.",
        calls=DONE,
    ),
    Family(
        "arguments in pieces, numbered",
        call(function=CALL),
        parts=[
            {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "click", "arguments": ""}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"target"'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": ': "e8"}'}}]},
        ],
        calls=DONE,
    ),
    Family(
        "arguments in pieces, without a number",
        call(function=CALL),
        parts=[
            {"tool_calls": [{"id": "c", "function": {"name": "click"}}]},
            {"tool_calls": [{"function": {"arguments": '{"target"'}}]},
            {"tool_calls": [{"function": {"arguments": ': "e8"}'}}]},
        ],
        calls=DONE,
    ),
    Family(
        "name and id repeated in every piece",
        call(function=CALL),
        parts=[
            {
                "tool_calls": [
                    {"index": 0, "id": "c", "function": {"name": "click", "arguments": '{"target"'}}
                ]
            },
            {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "click", "arguments": ': "e8"}'}}]},
        ],
        calls=DONE,
    ),
    Family(
        "an empty object first, and the whole once more at the end",
        call(function=CALL),
        parts=[
            {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "click", "arguments": "{}"}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": CALL["arguments"]}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": CALL["arguments"]}}]},
        ],
        calls=DONE,
    ),
    *(
        Family(
            f"two calls, {id_}",
            {"content": None, "tool_calls": calls},
            parts=[{"tool_calls": [each]} for each in calls],
            calls=TWO,
        )
        for id_, calls in {
            "numbered": [
                {"index": 0, "id": "a", "function": {"name": "note", "arguments": '{"text": "a"}'}},
                {"index": 1, "id": "b", "function": CALL},
            ],
            "without numbers": [
                {"id": "a", "function": {"name": "note", "arguments": '{"text": "a"}'}},
                {"id": "b", "function": CALL},
            ],
            "without numbers and ids": [
                {"function": {"name": "note", "arguments": '{"text": "a"}'}},
                {"function": CALL},
            ],
            "numbered alike": [
                {"index": 0, "id": "a", "function": {"name": "note", "arguments": '{"text": "a"}'}},
                {"index": 0, "id": "b", "function": CALL},
            ],
        }.items()
    ),
    # ---- content
    Family(
        "parts with thoughts in parts",
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "Answer: 42"},
            ]
        },
        text="Answer: 42",
        reasoning="hm",
    ),
    Family(
        "parts of a stream",
        {"content": [{"type": "text", "text": "Answer: 42"}]},
        parts=[
            {"content": [{"type": "text", "text": "Answer"}]},
            {"content": [{"type": "text", "text": ": 42"}]},
        ],
        text="Answer: 42",
    ),
    Family("parts that are texts", {"content": ["Answer: ", "42"]}, text="Answer: 42"),
    Family("one part without a list", {"content": {"type": "text", "text": "Answer: 42"}}, text="Answer: 42"),
    Family("a text within a text", {"content": [{"type": "text", "text": {"value": "42"}}]}, text="42"),
    Family("a number", {"content": 42}, text="42"),
    Family(
        "Gemini's thoughts",
        {"content": [{"text": "hm", "thought": True}, {"text": "42"}]},
        text="42",
        reasoning="hm",
    ),
    Family(
        "what is not text",
        {"content": [{"type": "image", "data": "x"}, None, 7, {"type": "text", "text": "!"}]},
        text="7!",
    ),
    Family("a refusal", {"content": None, "refusal": "I cannot."}, text="I cannot."),
    Family("a message that is its text", "Answer: 42", text="Answer: 42"),
    *(
        Family(f"thoughts in {name}", {"content": "42", name: thoughts}, text="42", reasoning="hm")
        for name, thoughts in {
            "reasoning_content": "hm",
            "reasoning": "hm",
            "thinking": "hm",
            "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}],
            "reasoning_details": [
                {"type": "reasoning.text", "text": "hm"},
                {"type": "reasoning.encrypted", "data": "x"},
            ],
        }.items()
    ),
    Family(
        "the same thoughts twice",
        {"content": "42", "reasoning": "hm", "reasoning_content": "hm"},
        text="42",
        reasoning="hm",
    ),
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
async def test_a_reply_is_read_in_whichever_shape_it_comes(
    family: Family, model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Sent(shape=family.message, parts=family.parts))
    completion = await complete(endpoint)
    assert (completion.text, completion.reasoning) == (family.text, family.reasoning)
    calls = [(each.name, json.loads(each.arguments)) for each in completion.tool_calls]
    assert calls == family.calls
    assert len(model.requests) == 1


# ---- the end of a reply
@pytest.mark.parametrize("name", ["error", "abort", "network_error", "OTHER"])
async def test_a_reply_that_ended_in_an_error_is_tried_again(
    name: str, model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Sent(text="Answer: 1", finish_reason=name), Sent(text="Answer: 42"))
    assert (await complete(endpoint)).text == "Answer: 42"


async def test_a_stop_after_a_cut_does_not_hide_it(model: FakeModel) -> None:
    reply = Reply(is_streamed=True)
    for reason in ("length", "stop"):
        reply.add({"choices": [{"delta": {"content": "A"}, "finish_reason": reason}]})
    assert reply.completion().is_cut


async def test_the_provider_behind_a_proxy_says_that_it_cut() -> None:
    reply = Reply(is_streamed=False)
    choice = {"message": {"content": "A"}, "finish_reason": "stop", "native_finish_reason": "MAX_TOKENS"}
    reply.add({"choices": [choice]})
    assert reply.completion().is_cut


# ---- no completion
EMPTY = [
    {"choices": None},
    {"choices": []},
    {"choices": [None]},
    {"choices": "none"},
    {"choices": [{"message": None, "finish_reason": None}]},
    {"error": {"message": "overloaded", "code": 502}},
    {"error": "overloaded"},
    {},
    [],
    "no",
    None,
    7,
]


@pytest.mark.parametrize("body", EMPTY, ids=repr)
async def test_a_body_without_a_completion_is_the_endpoints_failure(
    body: Any, model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Sent(raw=json.dumps(body).encode()))
    with pytest.raises(ModelFailure):
        await complete(endpoint)
    assert len(model.requests) >= 2


@pytest.mark.parametrize("chunk", EMPTY, ids=repr)
def test_an_odd_part_of_a_stream_loses_nothing_of_the_others(chunk: Any) -> None:
    reply = Reply(is_streamed=True)
    reply.add({"choices": [{"index": 0, "delta": {"content": "Answer: "}}]})
    reply.add(chunk)
    reply.add({"choices": [{"delta": {"content": "42"}, "finish_reason": "stop"}], "usage": None})
    assert reply.completion().text == "Answer: 42"


def test_an_overflow_within_an_answer_of_200_is_known_as_one() -> None:
    reply = Reply(is_streamed=False)
    reply.add({"error": {"message": "This model's maximum context length is 10 tokens."}})
    with pytest.raises(StreamBroken) as broken:
        reply.completion()
    assert isinstance(classify_failure(broken.value), ContextOverflow)


async def test_an_endpoint_that_answers_a_stream_in_one_piece_is_called_without_one(model: FakeModel) -> None:
    body = json.dumps(Sent(text="Answer: 42").body("tiny")).encode()
    model.replies(Sent(raw=body))
    async with Endpoint(base_url=model.url) as endpoint:
        for _ in range(2):
            assert (await complete(endpoint)).text == "Answer: 42"
    assert [request.get("stream") for request in model.requests] == [True, None, None]


KEYS = [
    "choices",
    "delta",
    "message",
    "content",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "index",
    "id",
]
KEYS += ["type", "text", "usage", "error", "finish_reason", "prompt_tokens", "function_call", "thinking"]
LEAVES = (None, True, 0, -1, 10**40, 1.5, float("nan"), "", "stop", "{}", '{"a"', "error")


def _drawn(rng: random.Random, depth: int = 6) -> Any:
    """JSON of the keys that are read, in any order and with any value."""
    kind = rng.random()
    if not depth or kind < 0.2:
        return rng.choice(LEAVES)
    if kind < 0.45:
        return [_drawn(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {key: _drawn(rng, depth - 1) for key in rng.sample(KEYS, rng.randrange(7))}


def test_no_shape_ends_in_a_traceback() -> None:
    rng, ends = random.Random(7), set[type]()
    for _ in range(4_000):
        reply = Reply(is_streamed=rng.random() < 0.5)
        for _ in range(rng.randrange(1, 4)):
            reply.add({"choices": [{key: _drawn(rng) for key in ("message", "delta", "finish_reason")}]})
            reply.add(_drawn(rng))
        try:
            ends.add(type(reply.completion()))
        except StreamBroken as broken:
            ends.add(type(broken))
    assert ends == {Completion, StreamBroken}


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ({"object": "list", "data": [{"id": "b"}, {"id": "a"}]}, ["a", "b"]),
        ({"models": [{"name": "a"}]}, ["a"]),
        ([{"id": "a"}, "b", None], ["a", "b"]),
        ({"data": None}, []),
        (None, []),
    ],
)
def test_a_list_of_models_is_read_in_any_shape(body: Any, ids: list[str]) -> None:
    assert list_model_ids(body) == ids


# ---- usage
@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(prompt=5, completion=2)),
        ({"input_tokens": 5, "output_tokens": 2}, Usage(prompt=5, completion=2)),
        ({"prompt_tokens": 5.0, "completion_tokens": "2"}, Usage(prompt=5, completion=2)),
        ({"prompt_tokens": -5, "completion_tokens": 2}, Usage(completion=2)),
        ({"prompt_tokens": 1.5, "completion_tokens": True}, None),
        ({"prompt_tokens": 10**30, "completion_tokens": float("nan")}, None),
        (
            {"prompt_tokens": None, "completion_tokens_details": None, "reasoning_tokens": 3},
            Usage(reasoning=3),
        ),
        ({"completion_tokens_details": [1], "prompt_tokens_details": "x"}, None),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, Usage(prompt=9, cached=4)),
        ([], None),
        ("many", None),
        (None, None),
    ],
    ids=repr,
)
def test_counts_that_make_no_sense_are_left_out(usage: Any, read: Usage | None) -> None:
    assert usage_read(usage) == read


def test_a_completion_of_a_trainer_is_cleaned_alike() -> None:
    completion = Completion(
        text="", usage=Usage(prompt=-1, completion=3), model_ms=float("nan"), finish_reason="x" * 999
    )
    assert completion.usage == Usage(completion=3)
    assert completion.model_ms is None
    assert len(completion.finish_reason or "") == 200
