"""Messages that a model is to go on with, at endpoints of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fake_model import FakeModel, Reply
from palaestra import Client
from palaestra.errors import PalaestraError
from palaestra.models.continuation import BEGUN
from palaestra.models.endpoint import Endpoint
from palaestra.models.policy import ModelPolicy
from palaestra.policies.clock import PolicyClock

pytestmark = pytest.mark.usefixtures("short_pauses")
Says = Callable[[dict[str, Any]], Reply]
MESSAGES = [{"role": "user", "content": "6 * 7?"}, {"role": "assistant", "content": "I multiply"}]


def model_of(goes_on: Callable[[dict[str, Any]], bool], *, refuses: str = "", echoes: bool = False) -> Says:
    """What a model says that goes on with a message under a condition, and else begins a new one."""

    def reply(request: dict[str, Any]) -> Reply:
        last = request["messages"][-1]
        if refuses and (refuses in request or refuses in last):
            return Reply(status=400, error={"message": f"Unrecognized request argument supplied: {refuses}"})
        is_trial = last["content"] == BEGUN
        if not goes_on(request):
            return Reply(text="six, seven, eight, nine" if is_trial else "The answer is 42.")
        rest = ", six, seven" if is_trial else " six by seven."
        return Reply(text=f"{last['content']}{rest}" if echoes else rest)

    return reply


@pytest.mark.parametrize(
    ("model_says", "sent"),
    [
        pytest.param(
            model_of(lambda request: request.get("continue_final_message") is True),
            {"continue_final_message": True, "add_generation_prompt": False},
            id="vllm",
        ),
        pytest.param(
            model_of(lambda request: request["messages"][-1].get("prefix") is True), {}, id="mistral"
        ),
        pytest.param(
            model_of(
                lambda request: "prefix" not in request["messages"][-1], refuses="continue_final_message"
            ),
            {},
            id="anthropic",
        ),
        pytest.param(model_of(lambda _: True, echoes=True), {}, id="repeats the beginning"),
    ],
)
async def test_a_model_goes_on_with_its_message(
    model: FakeModel, endpoint: Endpoint, model_says: Says, sent: dict[str, Any]
) -> None:
    model.reply = model_says
    completion = await endpoint.complete(MESSAGES, model="tiny", clock=PolicyClock(60.0))
    assert completion.text == " six by seven."
    assert model.requests[-1].items() >= sent.items()
    calls = len(model.requests)
    await endpoint.complete(MESSAGES, model="tiny", clock=PolicyClock(60.0))
    assert len(model.requests) == calls + 1


async def test_an_endpoint_that_begins_a_new_message_is_refused_by_name(
    model: FakeModel, endpoint: Endpoint
) -> None:
    model.reply = model_of(lambda _: False, refuses="continue_final_message")
    async with Client("http://127.0.0.1:1", "k") as client:
        policy = ModelPolicy(endpoint, client, model="tiny")
        with pytest.raises(PalaestraError, match="Nothing was opened") as refused:
            await policy.continuation_try()
    assert "six, seven" in str(refused.value)
    assert model.url.split("/v1")[0] in str(refused.value)


async def test_thoughts_apart_are_no_continuation(model: FakeModel, endpoint: Endpoint) -> None:
    model.reply = lambda _: Reply(text=", six", reasoning=("reasoning_content", "Next comes six."))
    with pytest.raises(PalaestraError, match="after separate thoughts"):
        await endpoint.complete(MESSAGES, model="tiny", clock=PolicyClock(60.0))


async def test_other_calls_are_sent_as_ever(model: FakeModel, endpoint: Endpoint) -> None:
    model.reply = lambda _: Reply(text="<think>Hm.</think>42")
    completion = await endpoint.complete(MESSAGES[:1], model="tiny", clock=PolicyClock(60.0))
    assert (completion.text, completion.reasoning) == ("42", "Hm.")
    assert len(model.requests) == 1
    assert "continue_final_message" not in model.requests[0]
