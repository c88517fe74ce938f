"""The panel of tools from the agent's side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from django.db import connection

from core.episodes.presentation import Look
from tasks_app.models import Gold
from tasks_app.questions import CALLS_MAX
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.oracle import list_calls
from tasks_app.tool_tasks.types import Truth
from tasks_app.tools import calls
from tasks_app.tools.data import draw_data
from tasks_app.types import TaskDraft
from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from tests.tool_policies import POLICIES, planted_check
from trajectories.models import Episode, SiteEvent, Submission, ToolCall

Address = Callable[..., str]
Press = Callable[..., Any]
PANEL = ["calculator", "distance", "travel_time", "handbook"]
PAYLOAD = {"text": "What is 3 times 4?", "format": "plain", "tools": PANEL, "seed": 5}
DATA = draw_data(5)
PLACES = [place.name for place in DATA.places]


def tools_episode(*, granted: list[str] | None = PANEL, **fields: Any) -> Episode:
    task = factories.task(kind="tools", payload=PAYLOAD, answer="12")
    variation = None if granted is None else {"tools": granted}
    return factories.episode(task=task, variation=variation, **fields)


@pytest.fixture
def press(arena_client: ArenaClient, address: Address) -> Press:
    """Send the form of a tool, as a browser without JavaScript would."""

    def send(episode: Episode, tool: str = "calculator", *, step: int | None = None, **fields: Any) -> Any:
        body = urlencode({name.rstrip("_"): value for name, value in fields.items()})
        there = address(episode, f"tools/{tool}")
        headers = {"x-gym-step": str(step)} if step else {}
        form = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", there, body, content_type=form, headers=headers)

    return send


def test_the_panel_has_a_form_for_each_tool_after_that_of_the_answer(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(tools_episode()))
    outline = Outline(html)

    assert [form["action"] for form in outline.all("form")] == [
        "submit",
        *(f"tools/{tool}" for tool in PANEL),
    ]
    assert len(outline.all("select")) == 1
    labelled = {label["for"] for label in outline.all("label")}
    fields = [*outline.all("input"), *outline.all("select")]
    assert {field["id"] for field in fields} == labelled


@pytest.mark.parametrize("form", ["below", "above", "beside", "dialog"])
def test_the_field_of_the_answer_is_the_first_in_every_look(
    form: str, arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(tools_episode(presentation=Look(form=form).as_dict())))
    assert Outline(html).all("input")[0]["id"] == "answer"


def test_a_call_leads_back_to_the_question_which_shows_its_result(
    press: Press, arena_client: ArenaClient, address: Address
) -> None:
    episode = tools_episode()

    response = press(episode, expression="3 * 4", step=2)

    assert (response.status_code, response["Location"]) == (303, "../")
    html = page(arena_client, address(episode))
    assert "Calculator: result" in html
    assert ">12</p>" in html
    assert "1 of 20 calls used." in html
    call = ToolCall.objects.get(episode=episode)
    assert (call.number, call.step, call.tool, call.status) == (1, 2, "calculator", "done")
    assert call.output == {"text": "12", "is_ok": True}
    assert call.finished_at is not None
    (event,) = SiteEvent.objects.filter(episode=episode, kind="tool_called")
    assert event.step == 2
    assert event.data == {
        "tool": "calculator",
        "number": 1,
        "arguments": {"expression": "3 * 4"},
        "is_ok": True,
    }


def test_a_call_without_a_result_says_why_and_is_recorded(
    press: Press, arena_client: ArenaClient, address: Address
) -> None:
    episode = tools_episode()
    doubled = PLACES[0].partition(" (")[0]

    press(episode, "distance", from_=doubled, to=PLACES[5])

    html = page(arena_client, address(episode))
    assert "Distance: no result" in html
    assert "There are several places of this name" in html
    assert ToolCall.objects.get(episode=episode).output["is_ok"] is False


def test_what_is_sent_is_shown_as_text(press: Press, arena_client: ArenaClient, address: Address) -> None:
    episode = tools_episode()
    press(episode, expression="<b>1</b>\0", unknown="field")
    html = page(arena_client, address(episode))
    assert "<b>1" not in html
    assert "&lt;b&gt;1&lt;/b&gt;" in html
    assert ToolCall.objects.get(episode=episode).input == '{"expression":"<b>1</b>\ufffd"}'


def test_results_are_those_of_the_pure_functions(press: Press) -> None:
    episode = tools_episode()
    press(episode, "handbook", query="boat")
    expected = calls.call("handbook", {"query": "boat"}, DATA)
    assert ToolCall.objects.get(episode=episode).output["text"] == expected.text


def test_a_tool_that_the_panel_does_not_have_is_not_there(press: Press) -> None:
    for tool in ("calendar", "run", "no-such-tool"):
        assert press(tools_episode(), tool).status_code == 404
    other = factories.episode(variation={"tools": ["calculator"]})
    assert press(other, expression="1").status_code == 404
    assert not ToolCall.objects.exists()


def test_a_page_without_its_tools_has_no_panel(
    press: Press, arena_client: ArenaClient, address: Address
) -> None:
    episode = tools_episode(granted=None)
    assert "Tools" not in page(arena_client, address(episode)).replace("<title>", "")
    assert press(episode, expression="1").status_code == 404


def test_a_reload_calls_nothing(arena_client: ArenaClient, address: Address) -> None:
    response = arena_client.get(address(tools_episode(), "tools/calculator"))
    assert (response.status_code, response["Location"]) == (303, "../")
    assert not ToolCall.objects.exists()


def test_calls_are_limited(press: Press, arena_client: ArenaClient, address: Address) -> None:
    episode = tools_episode()
    for number in range(CALLS_MAX + 2):
        press(episode, expression=f"{number} + 1")
    assert ToolCall.objects.filter(episode=episode).count() == CALLS_MAX
    assert SiteEvent.objects.filter(episode=episode, kind="tool_called").count() == CALLS_MAX
    html = page(arena_client, address(episode))
    assert "20 of 20 calls used. There are no more." in html


def test_the_same_call_twice_is_two_calls(press: Press) -> None:
    episode = tools_episode()
    press(episode, expression="1")
    press(episode, expression="1")
    assert ToolCall.objects.filter(episode=episode).count() == 2


def test_after_the_answer_nothing_is_called(press: Press) -> None:
    episode = tools_episode()
    factories.submission(episode, "12")
    assert press(episode, expression="1").status_code == 409
    assert not ToolCall.objects.exists()


def test_an_answer_to_check_is_in_the_field_and_not_the_arguments(
    press: Press, submit: Callable[..., Any], arena_client: ArenaClient, address: Address
) -> None:
    episode = tools_episode(answer_check="due")
    submit(episode, "answer=11")
    press(episode, expression="3*4")
    html = page(arena_client, address(episode))
    assert 'value="11"' in html
    assert "Calculator: result" in html


def test_an_unreadable_form_calls_nothing(arena_client: ArenaClient, address: Address) -> None:
    episode = tools_episode()
    response = arena_client.generic(
        "POST", address(episode, "tools/calculator"), "{}", content_type="application/json"
    )
    assert response.status_code == 400
    assert not ToolCall.objects.exists()


def test_an_answer_through_the_interface_leaves_the_tools(
    press: Press, arena_client: ArenaClient, address: Address
) -> None:
    episode = tools_episode(answer_channel="api")
    assert press(episode, expression="3*4").status_code == 303
    html = page(arena_client, address(episode))
    assert "Calculator: result" in html
    assert 'action="submit"' not in html
    assert not Submission.objects.exists()


@pytest.mark.parametrize("tool", ["run", "calendar"])
def test_results_are_written_for_tools_of_the_panel_alone(tool: str, as_role: Any) -> None:
    episode = tools_episode(granted=["run", "calendar", *PANEL])
    with as_role("gym_arena"), connection.cursor() as cursor:
        cursor.execute("SELECT panel_call(%s, 1, NULL, %s, '', '{}')", [episode.pk, tool])
        assert cursor.fetchone() == (None,)
    assert not ToolCall.objects.exists()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("draft", starter_drafts("tools"), ids=lambda draft: draft.key.partition("/")[0])
def test_what_is_called_by_the_forms_is_what_is_scored(policy: str, draft: TaskDraft, press: Press) -> None:
    """Scripted policies play the starter task of each family on its page."""
    truth = msgspec.convert(draft.gold.extra, Truth)
    played = POLICIES[policy].play(list_calls(truth.graphs[0]))
    payload = {**draft.payload, "tools": sorted({*draft.payload["tools"], *(call.tool for call in played)})}
    task = factories.task(kind="tools", payload=payload, answer=draft.gold.answer)
    Gold.objects.filter(task=task).update(extra=dict(draft.gold.extra))
    episode = factories.episode(task=task, variation={"tools": payload["tools"]})

    for number, call in enumerate(played, start=1):
        press(
            episode, call.tool, step=number, **{f"{name}_": value for name, value in call.arguments.items()}
        )
    factories.verdict(episode)

    planted_check(policy, truth, episode.pk)
