"""Tools of a task that a model calls by an action, in episodes without a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fake_model import FakeModel, Reply
from fake_server import FakeServer
from fake_state import GOLD
from palaestra import Client, Env
from palaestra.actions.call_tool import NO_TOOLS
from palaestra.commands import main
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import GRAMMARS
from palaestra.grammars.json import action_line
from palaestra.models.endpoint import Endpoint
from palaestra.models.policy import ModelPolicy
from palaestra.protocol.offers import actions_offered, conditions_of

TOOLS = ["calculator", "handbook"]
CALL = {"tool": "calculator", "arguments": {"expression": "3 * 4"}}


async def played(fake: FakeServer, completions: Sequence[str], **settings: Any) -> list[tuple[str, str]]:
    """Results and what a model reads of them, turn by turn."""
    results = []
    async with Env(fake.lab_url, "key", run=7, **{"arm": "text_agent", **settings}) as env:
        await env.reset(1)
        for completion in completions:
            observation, *_, info = await env.step(completion)
            results.append((info["action_result"], observation.result_message))
    return results


async def test_what_a_tool_answers_is_the_result_of_the_action(fake: FakeServer) -> None:
    fake.state.tools = TOOLS
    call, other = action_line("call_tool", **CALL), action_line("call_tool", tool="clock", arguments={})
    results = await played(fake, [call, other, call, action_line("answer", text=GOLD)])
    assert results[:3] == [
        ("ok", "3 * 4\n1 of 2 calls used."),
        ("refused", "There is no tool 'clock'.\n2 of 2 calls used."),
        ("refused", "There are no more."),
    ]
    assert fake.state.tool_calls[0] == {"step": 1, **CALL}
    steps = fake.state.episodes[1]["steps"]
    assert [step["action"]["type"] for step in steps.values()] == [*["call_tool"] * 3, "answer"]
    assert steps[1]["result_message"] == "3 * 4\n1 of 2 calls used."


@pytest.mark.parametrize("arm", ["text_agent", "gym"])
async def test_where_there_is_no_tool_nothing_is_called(fake: FakeServer, arm: str) -> None:
    assert await played(fake, [action_line("call_tool", **CALL)], arm=arm) == [("refused", NO_TOOLS)]
    assert fake.state.tool_calls == []


async def test_what_no_server_takes_is_cut_and_cleaned(fake: FakeServer) -> None:
    fake.state.tools = TOOLS
    made = {"tool": "t" * 500, "arguments": {"n" * 500: "v" * 5_000, "a": "\ud83d"}}
    await played(fake, [action_line("call_tool", **made)])
    sent = fake.state.tool_calls[0]
    assert sent["tool"] == "t" * 200
    assert sent["arguments"] == {"n" * 200: "v" * 1_000, "a": "?"}


async def test_a_model_is_sent_the_function_and_what_came_of_it(fake: FakeServer, model: FakeModel) -> None:
    fake.state.tools = TOOLS
    arguments = '{"tool": "calculator", "arguments": [{"name": "expression", "value": "3 * 4"}]}'
    function = {"name": "call_tool", "arguments": arguments}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    answer = {"name": "answer", "arguments": f'{{"text": "{GOLD}"}}'}
    model.replies(
        Reply(text="", tool_calls=calls, finish_reason="tool_calls"),
        Reply(text="", tool_calls=[{**calls[0], "function": answer}], finish_reason="tool_calls"),
    )
    async with (
        Client(fake.lab_url, "key") as client,
        Engine(client, config=EpisodeConfig(grammar="functions")) as engine,
        Endpoint(base_url=model.url, retries=2) as endpoint,
    ):
        policy = ModelPolicy(endpoint, client, model="tiny", sampling={})
        (rollout,) = await engine.rollout(run=7, tasks=[1], policy=policy, arm="text_agent")
    assert rollout.verdict is not None
    assert rollout.verdict.outcome == "correct"
    assert fake.state.tool_calls == [{"step": 1, **CALL}]
    first, second = model.requests
    assert "call_tool" in [tool["function"]["name"] for tool in first["tools"]]
    assert second["messages"][-1]["content"] == "Result of your action: ok. 3 * 4\n1 of 2 calls used."


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda one: one.id)
def test_the_action_is_offered_where_tools_are_and_no_page_is(grammar: Any) -> None:
    with_tools = conditions_of(has_page=False, has_tools=True)
    assert "call_tool" in actions_offered(with_tools)
    assert "call_tool" not in actions_offered(conditions_of(has_page=False))
    assert "call_tool" not in actions_offered(conditions_of(has_page=True, has_tools=True))
    assert ("call_tool" in str(grammar.tools(with_tools))) is grammar.facts.has_tools
    assert "call_tool" not in str(grammar.tools(conditions_of(has_page=False)))


@pytest.mark.parametrize("arms", ["ladder", "text_agent,prompt_image"])
def test_a_plan_of_tools_names_no_arm_without_turns(
    arms: str, fake: FakeServer, model: FakeModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.state.kind = "tools"
    path = tmp_path / "plan.json"
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    plan = ["plan", *where, "--benchmark", "gsm8k", "--limit", "3", "--out", str(path)]
    assert main([*plan, "--arms", arms]) == 1
    assert "has no turns to call them in: name others, as --arms text_agent" in capsys.readouterr().err
    assert main([*plan, "--arms", "text_agent,gym_with_text,gym"]) == 0
