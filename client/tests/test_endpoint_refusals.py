"""Parameters that endpoints refuse by name, prompts that filters refuse, and the times to return at."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from endpoint_calls import complete
from fake_model import FakeModel
from fake_model import Reply as Sent
from palaestra.errors import ModelFailure, PromptFiltered
from palaestra.http import backoff
from palaestra.models.endpoint import Endpoint

pytestmark = pytest.mark.usefixtures("short_pauses")
REFUSALS = [json.loads(line) for line in Path(__file__).with_name("refusals.jsonl").read_text().splitlines()]
SAMPLING = {
    "temperature": 0.2,
    "top_p": 0.9,
    "seed": 1,
    "max_tokens": 9,
    "extra_body": {
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "logprobs": True,
        "top_k": 3,
        "presence_penalty": 0.1,
    },
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "t", "strict": True, "schema": {"type": "object"}}}


def refusing(name: str, error: Any) -> Any:
    def reply(request: dict[str, Any]) -> Sent:
        return Sent(status=400, error=error) if name in request else Sent(text="Answer: 42")

    return reply


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal["endpoint"])
async def test_a_parameter_that_is_refused_by_name_is_left_out_from_then_on(
    refusal: dict[str, Any], model: FakeModel, caplog: pytest.LogCaptureFixture
) -> None:
    name = refusal["refuses"]
    model.reply = refusing(name, refusal["error"])
    async with Endpoint(base_url=model.url, retries=0) as endpoint:
        with caplog.at_level(logging.INFO, logger="palaestra"):
            for _ in range(2):
                completion = await complete(endpoint, sampling=SAMPLING, response_format=FORMAT)
                assert completion.text == "Answer: 42"
    assert [name in request for request in model.requests] == [True, False, False]
    sampling = completion.sampling or {}
    assert name not in {**sampling, **sampling["extra_body"]}, "a step says what was sent"
    rest = {**SAMPLING, **SAMPLING["extra_body"], "response_format": FORMAT}.keys() - {"extra_body", name}  # type: ignore[dict-item]
    assert rest <= model.requests[-1].keys(), "nothing else is left out"
    [line] = [record for record in caplog.records if "refuses" in record.message.lower()]
    is_chosen = name not in ("stream", "stream_options")
    assert line.levelno == (logging.WARNING if is_chosen else logging.INFO)


async def test_calls_that_are_refused_at_once_say_it_once(
    model: FakeModel, caplog: pytest.LogCaptureFixture
) -> None:
    error = {"message": "Unsupported parameter: 'temperature'"}
    model.reply = lambda request: (
        Sent(status=400, error=error, hangs=0.2) if "temperature" in request else Sent(text="Answer: 42")
    )
    async with Endpoint(base_url=model.url, retries=0) as endpoint:
        sampling = {"temperature": 0.1}
        done = await asyncio.gather(*(complete(endpoint, sampling=sampling) for _ in range(5)))
    assert {one.text for one in done} == {"Answer: 42"}
    assert sum("REFUSES" in message for message in caplog.messages) == 1


@pytest.mark.parametrize(
    ("refused", "taken"), [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")]
)
async def test_a_limit_goes_by_its_other_name_where_one_is_refused(
    refused: str, taken: str, model: FakeModel, endpoint: Endpoint
) -> None:
    model.reply = refusing(refused, {"message": f"Unsupported parameter: '{refused}'"})
    assert (await complete(endpoint, sampling={refused: 9})).text == "Answer: 42"
    assert model.requests[-1][taken] == 9


async def test_a_limit_that_is_refused_by_both_names_is_left_out(
    model: FakeModel, endpoint: Endpoint
) -> None:
    def reply(request: dict[str, Any]) -> Sent:
        name = next((one for one in request if one.startswith("max_")), None)
        return (
            Sent(status=422, error={"message": f"unknown field: {name}"}) if name else Sent(text="Answer: 42")
        )

    model.reply = reply
    completion = await complete(endpoint, sampling={"max_tokens": 9})
    assert (completion.text, completion.sampling) == ("Answer: 42", None)


@pytest.mark.parametrize("name", ["strict", "additionalProperties"])
async def test_keys_of_schemas_that_an_endpoint_does_not_know_are_left_out(
    name: str, model: FakeModel, endpoint: Endpoint
) -> None:
    def reply(request: dict[str, Any]) -> Sent:
        message = f"Invalid JSON. Unknown name \"{name}\" at 'tools[0].function': Cannot find field."
        is_refused = name in json.dumps(request["tools"])
        return Sent(status=400, error={"message": message}) if is_refused else Sent(text="Answer: 42")

    model.reply = reply
    function = {
        "name": "click",
        "strict": True,
        "parameters": {"type": "object", "additionalProperties": False},
    }
    assert (await complete(endpoint, tools=[{"type": "function", "function": function}])).text == "Answer: 42"
    assert model.requests[-1]["tools"][0]["function"]["name"] == "click"


@pytest.mark.parametrize(
    "error",
    [
        {"message": "temperature must be between 0 and 2"},
        {"message": "The model `tiny` does not exist"},
        {"message": "max_tokens is too large: 9. This model supports at most 4 completion tokens."},
        {"message": "tiny does not support tools"},
        {"message": "Unknown error"},
        {"message": "temperature is not a valid number"},
    ],
    ids=str,
)
async def test_what_is_no_refusal_of_a_name_is_the_users_to_mend(
    error: dict[str, Any], model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Sent(status=400, error=error))
    with pytest.raises(ModelFailure):
        await complete(endpoint, sampling=SAMPLING)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "error",
    [
        {
            "code": "content_filter",
            "message": "The response was filtered due to the prompt triggering the policy.",
        },
        {"message": "Azure OpenAI's content management policy", "code": "x"},
        {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."},
    ],
    ids=str,
)
async def test_a_prompt_that_a_filter_refuses_is_known_as_one(
    error: dict[str, Any], model: FakeModel, endpoint: Endpoint
) -> None:
    model.replies(Sent(status=400, error=error))
    with pytest.raises(PromptFiltered):
        await complete(endpoint)


# ---- retry times
@pytest.mark.parametrize(
    ("headers", "least_s", "most_s"),
    [
        ({"Retry-After": "7"}, 7, 7),
        ({"Retry-After": "0.5"}, 0.5, 0.5),
        ({"retry-after-ms": "700", "Retry-After": "9"}, 0.7, 0.7),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
        ({"Retry-After": "900"}, 60, 60),
        ({"Retry-After": "12s"}, 12, 12),
        ({"Retry-After": "250 ms"}, 0.25, 0.25),
        ({"Retry-After": "0m 7.5s"}, 7.5, 7.5),
        ({"Retry-After": "2015-10-21T07:28:00Z"}, 0, 0),
        ({"Retry-After": "1445412480"}, 0, 0),
        ({"Retry-After": "-3"}, 0, 0),
    ],
    ids=repr,
)
def test_an_endpoint_says_when_to_return(headers: dict[str, str], least_s: float, most_s: float) -> None:
    wait_s = backoff.parse_retry_after(headers)
    assert wait_s is not None
    assert least_s <= wait_s <= most_s


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Retry-After": "soon"},
        {"Retry-After": "5 and 6"},
        {"Retry-After": "nan"},
        {"retry-after-ms": "x"},
    ],
)
def test_a_time_that_nobody_can_read_is_none(headers: dict[str, str]) -> None:
    assert backoff.parse_retry_after(headers) is None


@pytest.mark.parametrize(("away_s", "least_s", "most_s"), [(40, 20, 40), (200_000, 60, 60), (-9, 0, 0)])
def test_a_date_to_return_at_is_read(away_s: int, least_s: float, most_s: float) -> None:
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=away_s), usegmt=True)
    wait_s = backoff.parse_retry_after({"Retry-After": date})
    assert wait_s is not None
    assert least_s <= wait_s <= most_s


@pytest.mark.parametrize(
    ("status", "body", "is_hinted"),
    [
        (404, b'{"detail": "Not Found"}', True),
        (404, b"<!DOCTYPE html><title>Not found</title>", True),
        (405, b"", True),
        (501, b"Unsupported method", True),
        (404, b'{"error": {"message": "The model `x` does not exist.", "code": 404}}', False),
        (404, b'{"object": "error", "message": "The model `x` does not exist.", "code": 404}', False),
        (401, b"<title>Who are you?</title>", False),
    ],
)
async def test_an_address_without_chat_completions_is_refused_with_a_hint(
    status: int, body: bytes, is_hinted: bool, model: FakeModel
) -> None:
    model.replies(Sent(status=status, raw=body))
    async with Endpoint(base_url=model.url, retries=0) as endpoint:
        with pytest.raises(ModelFailure) as refused:
            await complete(endpoint)
    assert ("/v1" in str(refused.value).replace(model.url, "")) == is_hinted
