"""The check of actions that do several things at once, and of those that leave no trace."""

from __future__ import annotations

import pytest

from tests.actions.cases import ANSWER, SUBMIT, checked, event, step, steps_checked
from trajectories.actions.types import ReportedEvent
from trajectories.behaviour.facts.types import ActionCheck

UNIT = {"role": "combobox", "name": "Unit"}
SURE = {"role": "checkbox", "name": "I am sure"}
FILLED = {
    "type": "fill",
    "fields": [
        {"target": "e2", "text": "10/11"},
        {"target": "e4", "value": "km"},
        {"target": "e6", "checked": True},
    ],
}


@pytest.mark.parametrize(
    ("answer", "kind"), [("10/11", "confirmed"), ("old 10/11", "confirmed"), ("1/2", "different_effect")]
)
def test_filled_fields_are_compared_each_by_its_own_text(answer: str, kind: str) -> None:
    events = [
        event("input", value=answer, **ANSWER),
        event("input", value="u-2", **UNIT),
        event("click", trusted=True, **SURE),
        event("input", checked=True, **SURE),
    ]
    episode_check = steps_checked([step(**FILLED)], events)
    assert episode_check.checks[1].kind == kind
    assert episode_check.unexplained == []


def test_a_fill_that_no_field_reported_has_no_effect() -> None:
    assert checked(step(**FILLED)).kind == "no_effect"


@pytest.mark.parametrize("fields", [None, "e2", [7], [{"text": "1"}], [{"target": 7}]])
def test_a_malformed_fill_is_confirmed_by_any_input(fields: object) -> None:
    declared = step(type="fill", fields=fields)
    assert checked(declared, event("input", value="1", **ANSWER)).kind == "confirmed"


def test_a_click_of_another_button_is_unknown() -> None:
    assert checked(step(type="click", target="e3", button="right")).kind == "unknown"


def test_both_clicks_of_a_double_click_are_explained() -> None:
    declared = step(type="click", target="e3", double=True)
    episode_check = steps_checked([declared], [event("click", **SUBMIT), event("click", **SUBMIT)])
    assert episode_check.checks[1].kind == "confirmed"
    assert episode_check.unexplained == []


def test_a_drag_is_confirmed_by_the_slider_that_it_moves_and_else_unknown() -> None:
    declared = step(type="drag", target="e2", to_target="e3")
    assert checked(declared, event("input", value="9", **ANSWER)).kind == "confirmed"
    assert checked(declared).kind == "unknown"


def test_actions_in_sequence_are_confirmed_by_what_any_of_them_caused() -> None:
    typing = {"type": "type", "target": "e2", "text": "42"}
    declared = step(type="sequence", actions=[typing, {"type": "click", "target": "e3"}])
    typed = event("input", value="42", **ANSWER)
    assert checked(declared, typed, event("click", **SUBMIT)).kind == "confirmed"
    assert checked(declared, typed).kind == "confirmed"
    assert checked(declared).kind == "no_effect"


@pytest.mark.parametrize("actions", [None, [], [7], [{"type": "sequence"}], [{"type": "fly"}]])
def test_a_malformed_sequence_raises_nothing(actions: object) -> None:
    assert checked(step(type="sequence", actions=actions)).kind in ("none", "unknown")


@pytest.mark.parametrize(
    "action",
    [{"type": "note", "text": "42"}, {"type": "give_up", "reason": "no"}, {"type": "hover", "target": "e3"}],
)
def test_what_leaves_no_trace_is_confirmed_by_silence(action: dict[str, str]) -> None:
    assert checked(step(**action)).kind == "confirmed"
    assert checked(step(**action), has_page=False).kind in ("confirmed", "unknown")


def tool_checked(tool: str, *, recorded: str, in_step: int = 1, result: str = "ok") -> ActionCheck:
    declared = step(type="call_tool", tool=tool, arguments={}, result=result)
    called = ReportedEvent(kind="tool_called", step=in_step, data={"tool": recorded})
    return steps_checked([declared], [], pages=[called], is_silent=True, has_page=False).checks[1]


@pytest.mark.parametrize("result", ["ok", "refused"])
def test_a_call_of_a_tool_is_confirmed_by_the_servers_record(result: str) -> None:
    assert tool_checked("calculator", recorded="calculator", result=result).kind == "confirmed"
    assert tool_checked("x" * 60, recorded="x" * 32, result=result).kind == "confirmed"


def test_a_call_that_is_not_on_record_has_no_effect() -> None:
    assert tool_checked("calculator", recorded="distance").detail == "no call was recorded"
    assert tool_checked("calculator", recorded="calculator", in_step=2).kind == "no_effect"


def test_calls_of_tools_do_not_shorten_the_servers_account_of_pages() -> None:
    called = ReportedEvent(kind="tool_called", step=1, data={"tool": "run", "number": 1})
    path = ReportedEvent(kind="page_served", step=1, data={"path": "stays/4"})
    declared = step(type="goto", url="https://gym/stays/4")
    assert steps_checked([declared], [], pages=[called, path]).checks[1].kind == "confirmed"
