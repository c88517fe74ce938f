from __future__ import annotations

import asyncio
import json
import operator
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from endpoint_calls import complete
from fake_model import FakeModel, Reply
from fake_server import FakeServer
from fake_state import GOLD
from palaestra import Client, Usage
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ContextOverflow, ModelFailure
from palaestra.models.endpoint import Endpoint
from palaestra.models.policy import ModelPolicy
from palaestra.models.replies import REASONING_FIELDS
from palaestra.policies.clock import PolicyClock

pytestmark = pytest.mark.usefixtures("short_pauses")
TIMEOUT_S = 60.0
RIGHT = Reply(text=f"Half of 84 is {GOLD}.\nAnswer: {GOLD}")
OVERFLOWS = (
    {"code": "context_length_exceeded", "message": "This model's maximum context length is 8192 tokens."},
    {
        "code": 400,
        "type": "exceed_context_size_error",
        "message": "the request exceeds the available context size",
    },
    {
        "code": 400,
        "type": "BadRequestError",
        "message": "The decoder prompt (length 9000) is longer than the "
        "maximum model length: This model's maximum context length is 8192 tokens.",
    },
)


@pytest_asyncio.fixture
async def endpoint(model: FakeModel, is_streamed: bool) -> AsyncIterator[Endpoint]:
    async with Endpoint(base_url=model.url, is_streamed=is_streamed, retries=2, timeout_s=0.5) as made:
        yield made


@pytest.mark.parametrize("name", REASONING_FIELDS)
async def test_thoughts_in_a_field_of_their_own_are_separate(
    name: str, model: FakeModel, endpoint: Endpoint
) -> None:
    details = {
        "completion_tokens_details": {"reasoning_tokens": 12},
        "prompt_tokens_details": {"cached_tokens": 7},
    }
    model.replies(
        Reply(text="Answer: 42", reasoning=(name, "Half of 84 ..."), usage={**Reply().usage, **details})
    )
    completion = await complete(endpoint, sampling={"temperature": 0.5})
    assert (completion.text, completion.reasoning) == ("Answer: 42", "Half of 84 ...")
    assert completion.usage == Usage(prompt=120, completion=30, reasoning=12, cached=7)
    assert (completion.finish_reason, completion.model) == ("stop", "tiny")
    assert not completion.is_thought_hidden
    assert completion.model_ms
    assert completion.sampling == {"temperature": 0.5} == {"temperature": model.requests[0]["temperature"]}


async def test_a_model_that_hides_its_thoughts_is_seen_to_hide_them(
    model: FakeModel, endpoint: Endpoint
) -> None:
    usage = {**Reply().usage, "completion_tokens_details": {"reasoning_tokens": 900}}
    model.replies(Reply(text="Answer: 42", usage=usage))
    assert (await complete(endpoint)).is_thought_hidden


async def test_thoughts_in_the_text_are_separate_too(model: FakeModel) -> None:
    model.replies(Reply(text="<plan>Half.</plan>\n<think>Whole.</think>\nAnswer: 42"))
    async with Endpoint(base_url=model.url, key="k", thought_tags=[("<plan>", "</plan>")]) as endpoint:
        completion = await complete(endpoint)
    assert (completion.reasoning, completion.text) == ("Half.\n\nWhole.", "Answer: 42")


async def test_tools_are_sent_and_their_calls_read(model: FakeModel, endpoint: Endpoint) -> None:
    function = {"name": "click", "arguments": '{"target": "e8", "text": "\\\\frac{1}{2}"}'}
    model.replies(
        Reply(
            text=None,
            tool_calls=[{"id": "c9", "type": "function", "function": function}],
            finish_reason="tool_calls",
        )
    )
    tools = [{"type": "function", "function": {"name": "click", "parameters": {"type": "object"}}}]
    completion = await complete(endpoint, tools=tools)
    [call] = completion.tool_calls
    assert (call.name, call.arguments, call.id) == ("click", function["arguments"], "c9")
    assert completion.text == ""
    assert model.requests[0]["tools"] == tools


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, headers={"Retry-After": "0.02"}),
        Reply(status=503),
        Reply(raw=b"<html>bad gateway</html>"),
        Reply(raw=b'{"id": "x"}'),
        Reply(hangs=0.8),
    ],
    ids=["rate limit", "overload", "no JSON", "no completion", "silence"],
)
async def test_a_call_that_fails_is_repeated(fault: Reply, model: FakeModel, endpoint: Endpoint) -> None:
    model.replies(fault, RIGHT)
    assert (await complete(endpoint)).text == RIGHT.text
    assert len(model.requests) == 2


async def test_a_stream_that_breaks_off_is_no_answer(model: FakeModel) -> None:
    model.replies(Reply(text="Answer: 4", breaks=True), RIGHT)
    async with Endpoint(base_url=model.url) as endpoint:
        assert (await complete(endpoint)).text == RIGHT.text


@pytest.mark.parametrize(("status", "calls"), [(429, 3), (500, 3), (401, 1), (404, 1)])
async def test_repeats_are_bounded_and_a_refusal_is_final(
    status: int, calls: int, model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Reply(status=status, error={"message": "no"}))
    with pytest.raises(ModelFailure):
        await complete(endpoint)
    assert len(model.requests) == calls


async def test_an_empty_purse_is_not_waited_for(model: FakeModel, endpoint: Endpoint) -> None:
    model.replies(
        Reply(status=429, error={"code": "insufficient_quota", "message": "You exceeded your quota."})
    )
    with pytest.raises(ModelFailure, match="quota"):
        await complete(endpoint)
    assert len(model.requests) == 1


@pytest.mark.parametrize("error", OVERFLOWS, ids=["OpenAI", "llama.cpp", "vLLM"])
async def test_a_prompt_that_is_too_long_is_recognised(
    error: dict[str, Any], model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Reply(status=400, error=error))
    with pytest.raises(ContextOverflow):
        await complete(endpoint)
    assert len(model.requests) == 1


async def test_the_newer_name_of_the_output_limit_is_taken_where_it_is_needed(
    model: FakeModel, endpoint: Endpoint
) -> None:
    def reply(request: dict[str, Any]) -> Reply:
        message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return Reply(status=400, error={"message": message}) if "max_tokens" in request else RIGHT

    model.reply = reply
    for _ in range(2):
        assert (await complete(endpoint, sampling={"max_tokens": 9})).text == RIGHT.text
    assert [request.get("max_completion_tokens") for request in model.requests] == [None, 9, 9]


async def test_no_more_calls_run_at_once_than_allowed_and_waiting_costs_no_time(model: FakeModel) -> None:
    released = threading.Event()
    model.reply = lambda _: Reply(text="ok" if released.wait(TIMEOUT_S) else "late")
    clocks = [PolicyClock(TIMEOUT_S) for _ in range(6)]
    async with Endpoint(base_url=model.url, concurrency=2, timeout_s=TIMEOUT_S) as endpoint:
        calls = asyncio.gather(*(clock.bound(complete(endpoint, clock=clock)) for clock in clocks))
        while model.active < 2 and not calls.done():
            await asyncio.sleep(0.01)
        before = [clock.left_s for clock in clocks]
        await asyncio.sleep(0.01)
        after = [clock.left_s for clock in clocks]
        released.set()
        assert [completion.text for completion in await calls] == ["ok"] * 6
    assert model.most_active == 2
    assert sum(map(operator.eq, before, after)) == 4, "the clocks of calls that wait for a place stand still"


# ---- whole episodes
async def play(
    fake: FakeServer, model: FakeModel, *, arm: str = "text_zero_shot", **limits: Any
) -> dict[str, Any]:
    async with (
        Client(fake.lab_url, "key") as client,
        Engine(client, **limits) as engine,
        Endpoint(base_url=model.url, retries=2) as endpoint,
    ):
        policy = ModelPolicy(endpoint, client, model="tiny", sampling={"temperature": 1.0})
        await engine.rollout(run=7, tasks=[1], policy=policy, arm=arm)
    return fake.state.episodes[1]


async def test_a_model_answers_a_question(fake: FakeServer, model: FakeModel) -> None:
    model.replies(Reply(text=RIGHT.text, reasoning=("reasoning", "Two of 42.")))
    row = await play(fake, model)
    assert row["verdict"]["outcome"] == "correct"
    step = row["steps"][1]
    assert step["thought"].startswith("Two of 42.")
    assert (step["raw"], step["model"], step["usage"]["completion"]) == (RIGHT.text, "tiny", 30)
    assert len(step["prompt_sha256"]) == 64


@pytest.mark.parametrize(
    ("reply", "reason", "outcome"),
    [
        (Reply(status=500), "model_error", "void"),
        (Reply(raw=b"nonsense"), "model_error", "void"),
        (Reply(status=400, error=OVERFLOWS[0]), "context_length", "incorrect"),
        (Reply(text=RIGHT.text, finish_reason="length"), "token_budget", "incorrect"),
        (Reply(text=RIGHT.text, finish_reason="MAX_TOKENS"), "token_budget", "incorrect"),
        (Reply(text=RIGHT.text, finish_reason="SAFETY"), "content_filter", "incorrect"),
        (Reply(status=400, error={"code": "content_filter", "message": "no"}), "model_error", "void"),
    ],
    ids=[
        "error",
        "malformed",
        "overflow",
        "cut",
        "cut by another name",
        "filtered",
        "filtered before a word",
    ],
)
async def test_a_call_without_a_completion_is_never_an_answer(
    reply: Reply, reason: str, outcome: str, fake: FakeServer, model: FakeModel
) -> None:
    model.replies(reply)
    row = await play(fake, model)
    assert row["closed"]["reason"] == reason
    assert row["verdict"]["outcome"] == outcome
    assert row["answer"] is None


async def test_a_filter_that_refuses_the_models_own_words_ends_the_episode_judged(
    fake: FakeServer, model: FakeModel
) -> None:
    refusal = Reply(status=400, error={"code": "content_filter", "message": "The prompt was filtered."})
    model.replies(Reply(text='Action: {"type": "note", "text": "boo"}'), refusal)
    row = await play(fake, model, arm="text_agent")
    assert (row["closed"]["reason"], row["verdict"]["outcome"]) == ("content_filter", "incorrect")


async def test_rate_limits_take_nothing_from_the_episodes_time(fake: FakeServer, model: FakeModel) -> None:
    limit = Reply(status=429, headers={"Retry-After": "0.6"})
    model.replies(limit, limit, RIGHT)
    row = await play(fake, model, time_limit_s=0.5)
    assert row["verdict"]["outcome"] == "correct"


async def test_a_model_that_thinks_too_long_is_out_of_time(fake: FakeServer, model: FakeModel) -> None:
    model.replies(Reply(text=RIGHT.text, hangs=2))
    row = await play(fake, model, time_limit_s=0.3)
    assert row["closed"]["reason"] == "time_budget"


async def test_pictures_reach_the_model_as_data(fake: FakeServer, model: FakeModel) -> None:
    digest = "a" * 64
    fake.state.blobs[digest] = b"PNG"
    content = [{"type": "image_url", "image_url": {"url": f"{fake.lab_url}/api/v1/blobs/{digest}"}}]
    async with Client(fake.lab_url, "key") as client, Endpoint(base_url=model.url) as endpoint:
        messages = await client.messages_inline([{"role": "user", "content": content}])
        await endpoint.complete(messages, model="tiny", clock=PolicyClock(60))
    assert model.requests[0]["messages"][0]["content"][0]["image_url"]["url"] == "data:image/png;base64,UE5H"


async def test_a_model_that_calls_functions_is_sent_them_and_their_results(
    fake: FakeServer, model: FakeModel
) -> None:
    def call(name: str, text: str) -> Reply:
        function = {"name": name, "arguments": json.dumps({"text": text})}
        calls = [{"id": f"of_{name}", "type": "function", "function": function}]
        return Reply(text=f"I {name}.", tool_calls=calls, finish_reason="tool_calls")

    model.replies(call("note", "half of 84"), call("answer", GOLD))
    row = await play(fake, model, arm="text_agent", config=EpisodeConfig(grammar="functions"))
    assert row["verdict"]["outcome"] == "correct"
    assert [step["action"]["type"] for step in row["steps"].values()] == ["note", "answer"]
    first, second = model.requests
    assert [tool["function"]["name"] for tool in first["tools"]] == ["answer", "give_up", "note"]
    spoken, result = second["messages"][-2:]
    assert spoken["content"] == "I note."
    assert [each["function"]["name"] for each in spoken["tool_calls"]] == ["note"]
    assert (result["role"], result["tool_call_id"]) == ("tool", "of_note")
    assert "ok" in result["content"]


async def test_a_model_is_sent_the_schema_of_its_turns_where_its_grammar_has_one(
    fake: FakeServer, model: FakeModel
) -> None:
    turn = {"reasoning": "Half of 84.", "action": {"type": "answer", "text": GOLD}}
    model.replies(Reply(text=json.dumps(turn)))
    row = await play(fake, model, arm="text_agent", config=EpisodeConfig(grammar="structured"))
    assert row["verdict"]["outcome"] == "correct"
    assert [step["thought"] for step in row["steps"].values()] == ["Half of 84."]
    [request] = model.requests
    assert request["response_format"]["type"] == "json_schema"
    assert "tools" not in request


async def test_free_text_has_no_schema(fake: FakeServer, model: FakeModel) -> None:
    model.replies(Reply(text=f"Answer: {GOLD}"))
    await play(fake, model, arm="text_zero_shot", config=EpisodeConfig(grammar="structured"))
    assert "response_format" not in model.requests[0]
