"""Tools of a task that are called through the API, where no page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tasks_app.questions import CALLS_MAX
from tasks_app.tools import calls
from tasks_app.tools.data import draw_data
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, SiteEvent, ToolCall

pytestmark = pytest.mark.django_db

PANEL = ["calculator", "distance", "handbook"]
PAYLOAD = {"text": "What is 3 times 4?", "format": "plain", "tools": PANEL, "seed": 5}
PLACES = [place.name for place in draw_data(5).places]


def tools_episode(arm: str = "text_agent", **fields: Any) -> Episode:
    task = factories.task(kind="tools", payload=PAYLOAD, answer="12")
    variation = {"tools": sorted(PANEL)}
    return factories.episode(
        task=task, arm=arm, variation=variation, answer_channel="api", recording="off", **fields
    )


def called(
    client: ApiClient, episode: Episode, tool: str = "calculator", *, step: int = 1, **arguments: str
) -> tuple[int, Any]:
    fields = {name.rstrip("_"): value for name, value in arguments.items()}
    body = {"step": step, "tool": tool, "arguments": fields}
    return client.json("POST", f"/episodes/{episode.pk}/tool_calls", body)


def test_a_call_is_answered_and_recorded_as_on_a_page(trainer: ApiClient) -> None:
    episode = tools_episode()
    status, answer = called(trainer, episode, step=2, expression="3 * 4")
    assert status == 200
    assert answer == {"number": 1, "text": "12", "is_ok": True, "used": 1, "limit": CALLS_MAX}
    stored = ToolCall.objects.get(episode=episode)
    assert (stored.number, stored.step, stored.tool, stored.status) == (1, 2, "calculator", "done")
    assert (stored.input, stored.output) == ('{"expression":"3 * 4"}', {"text": "12", "is_ok": True})
    assert stored.finished_at is not None
    event = SiteEvent.objects.get(episode=episode)
    assert (event.seq, event.step, event.kind) == (1, 2, "tool_called")
    assert event.data == {
        "tool": "calculator",
        "number": 1,
        "arguments": {"expression": "3 * 4"},
        "is_ok": True,
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("distance", {"from_": PLACES[0].partition(" (")[0], "to": PLACES[5]}, "several places of this name"),
        ("distance", {"from_": PLACES[5]}, "missing"),
        ("calculator", {"expression": "1", "unit": "km"}, "has no field 'unit'"),
        ("calculator", {"expression": "__import__('os')"}, "cannot be calculated"),
        ("calculator", {"expression": "9" * 1_000}, "at most 200 characters"),
        ("calculater", {"expression": "1"}, "Did you mean calculator"),
        ("travel_time", {"from_": PLACES[4], "to": PLACES[5], "by": "car"}, "There is no tool"),
        ("run", {}, "There is no tool"),
    ],
)
def test_what_cannot_be_called_is_answered_in_words_and_counts(
    trainer: ApiClient, tool: str, arguments: Mapping[str, str], words: str
) -> None:
    episode = tools_episode()
    status, answer = called(trainer, episode, tool, **arguments)
    assert (status, answer["is_ok"], answer["used"]) == (200, False, 1)
    assert words in answer["text"]
    assert SiteEvent.objects.get(episode=episode).data["is_ok"] is False


def test_results_are_those_of_the_pure_functions(trainer: ApiClient) -> None:
    answer = called(trainer, tools_episode(), "handbook", query="boat")[1]
    assert answer["text"] == calls.call("handbook", {"query": "boat"}, draw_data(5)).text


def test_the_same_call_of_the_same_step_is_made_once(trainer: ApiClient) -> None:
    episode = tools_episode()
    first = called(trainer, episode, step=1, expression="1")
    assert called(trainer, episode, step=1, expression="1") == first
    assert called(trainer, episode, step=1, expression="2")[1]["number"] == 2
    assert called(trainer, episode, step=2, expression="1")[1]["number"] == 3
    assert called(trainer, episode, step=1, expression="1")[1]["number"] == 1
    assert SiteEvent.objects.filter(episode=episode).count() == 3


def test_calls_are_limited_as_on_a_page(trainer: ApiClient) -> None:
    episode = tools_episode()
    for step in range(1, CALLS_MAX + 1):
        assert called(trainer, episode, step=step, expression="1")[0] == 200
    status, answer = called(trainer, episode, step=CALLS_MAX + 1, expression="1")
    assert (status, answer["error"]["code"]) == (409, "no_calls_left")
    assert answer["error"]["message"] == "20 of 20 calls used. There are no more."
    assert called(trainer, episode, step=3, expression="1")[0] == 200
    assert ToolCall.objects.filter(episode=episode).count() == CALLS_MAX


def test_after_the_answer_nothing_is_called(trainer: ApiClient) -> None:
    episode = tools_episode()
    called(trainer, episode, step=1, expression="1")
    factories.submission(episode, "12")
    status, answer = called(trainer, episode, step=2, expression="1")
    assert (status, answer["error"]["code"]) == (409, "episode_final")
    assert called(trainer, episode, step=1, expression="1")[0] == 200
    assert ToolCall.objects.count() == 1


@pytest.mark.parametrize("arm", ["gym", "probe_read"])
def test_tools_of_a_page_are_not_called_past_it(trainer: ApiClient, arm: str) -> None:
    status, answer = called(trainer, tools_episode(arm=arm), expression="1")
    assert (status, answer["error"]["code"]) == (409, "no_tools")
    assert not ToolCall.objects.exists()


def test_a_task_without_tools_has_none_to_call(trainer: ApiClient) -> None:
    episode = factories.episode(arm="text_agent", answer_channel="api", variation={"tools": ["calculator"]})
    assert called(trainer, episode, expression="1")[1]["error"]["code"] == "no_tools"


@pytest.mark.parametrize(
    "body",
    [
        {"step": 0, "tool": "calculator", "arguments": {}},
        {"tool": "calculator", "arguments": {}},
        {"step": 1, "tool": "c" * 201, "arguments": {}},
        {"step": 1, "tool": "calculator", "arguments": {"expression": 1}},
        {"step": 1, "tool": "calculator", "arguments": {"expression": "1" * 1_001}},
        {"step": 1, "tool": "calculator", "arguments": {str(number): "1" for number in range(51)}},
        {"step": 1, "tool": "calculator", "arguments": [], "more": 1},
        {"step": 1, "tool": "calculator", "arguments": {"expression": "1\0"}},
    ],
)
def test_a_malformed_call_is_refused(trainer: ApiClient, body: dict[str, Any]) -> None:
    assert trainer.json("POST", f"/episodes/{tools_episode().pk}/tool_calls", body)[0] == 400
    assert not ToolCall.objects.exists()


def test_a_long_name_is_recorded_cut(trainer: ApiClient) -> None:
    episode = tools_episode()
    assert called(trainer, episode, "x" * 200)[0] == 200
    assert ToolCall.objects.get(episode=episode).tool == "x" * 32


def test_the_role_of_the_api_may_call(trainer: ApiClient, as_role: Any) -> None:
    episode = tools_episode()
    with as_role("gym_lab"):
        assert called(trainer, episode, expression="1")[0] == 200


def opened(trainer: ApiClient, arm: str) -> dict[str, Any]:
    benchmark = factories.benchmark(
        id="tools", kind="tools", verifier_official="denotation-v1", verifier_training="denotation-v1"
    )
    task = factories.task(benchmark=benchmark, kind="tools", payload=PAYLOAD, answer="12")
    body = {"run": factories.run().pk, "tasks": [task.pk], "arm": arm}
    status, answer = trainer.json("POST", "/episodes", body)
    assert status == 201, answer
    return dict(answer)


def test_an_opening_names_the_tools_and_the_prompt_lists_them(api: Any, trainer: ApiClient) -> None:
    answer = opened(trainer, "text_agent")
    (episode,) = answer["episodes"]
    assert episode["tools"] == PANEL
    system, user = answer["messages"][episode["messages_ref"]]
    assert '{"type": "call_tool", "tool": "...", "arguments": {"...": "..."}}' in system["content"]
    assert system["content"].index("- calculator:") < system["content"].index("- handbook:")
    assert "- calendar:" not in system["content"]
    assert user["content"] == "What is 3 times 4?"
    assert trainer.json("POST", f"/episodes/{episode['id']}/resume")[1]["tools"] == PANEL
    again = api("read").json("GET", f"/episodes/{episode['id']}/messages")[1]
    assert again["messages"] == [system, user]


@pytest.mark.parametrize("arm", ["gym", "gym_with_text"])
def test_an_opening_with_a_page_names_none(trainer: ApiClient, arm: str) -> None:
    answer = opened(trainer, arm)
    (episode,) = answer["episodes"]
    assert episode["tools"] == []
    assert "call_tool" not in str(answer["messages"])


def test_the_budget_of_turns_does_not_tell_how_many_calls_a_task_needs(trainer: ApiClient) -> None:
    (episode,) = opened(trainer, "text_agent")["episodes"]
    assert episode["max_steps"] >= 2 * 5


def test_a_fork_has_the_calls_of_its_parent_by_then(api: Any, trainer: ApiClient) -> None:
    parent = tools_episode()
    for index in (1, 2, 3):
        declared = {"type": "call_tool", "tool": "calculator", "arguments": {"expression": str(index)}}
        called(trainer, parent, step=index, expression=str(index))
        factories.step(parent, index, action=declared, action_type="call_tool")
    factories.verdict(parent, "incorrect", "no_submission")
    status, answer = trainer.json("POST", f"/episodes/{parent.pk}/fork", {"step": 2, "count": 2})
    assert status == 201, answer
    for record in answer["episodes"]:
        fork = Episode.objects.get(pk=record["id"])
        assert record["tools"] == PANEL
        assert fork.inherited_events == 2
        assert list(ToolCall.objects.filter(episode=fork).values_list("number", "step")) == [(1, 1), (2, 2)]
        events = SiteEvent.objects.filter(episode=fork).order_by("seq")
        assert [event.data["arguments"]["expression"] for event in events] == ["1", "2"]
        again = called(trainer, fork, step=3, expression="3")[1]
        assert (again["number"], again["used"]) == (3, 3)
        step = {"steps": [{"index": 3, "action": {"type": "noop"}}]}
        assert trainer.json("POST", f"/episodes/{fork.pk}/steps", step)[0] == 200
