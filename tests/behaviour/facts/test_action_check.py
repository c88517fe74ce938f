"""Action checks of whole episodes: which events count for which step, and what stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.actions.cases import ANSWER, SUBMIT, checked, event, step, steps_checked
from trajectories.behaviour.facts.types import ActionCheck


def test_an_action_of_an_unknown_type_is_unknown() -> None:
    assert checked(step(type="teleport"), event("click", **SUBMIT)).kind == "unknown"


@pytest.mark.parametrize(
    ("around", "word"),
    [
        ({"has_page": False}, "no page"),
        ({"is_recorded": False}, "not recorded"),
        ({"is_silent": True}, "JavaScript"),
    ],
)
def test_an_action_is_unknown_where_no_page_can_report(around: dict[str, Any], word: str) -> None:
    check = checked(step(type="click", target="e3"), **around)
    assert check.kind == "unknown"
    assert word in check.detail


def test_actions_after_the_event_limit_are_unknown() -> None:
    steps = [step(1, type="click", target="e3"), step(2, type="click", target="e3")]
    capped = event("capped", None, "")
    assert steps_checked(steps, [event("focus", 1, **ANSWER), capped]).checks[2].kind == "unknown"
    # No event before the last stored one was dropped.
    events = [event("focus", 2, **ANSWER), capped]
    assert steps_checked(steps, events).checks[1].kind == "no_effect"


def test_the_step_that_sends_an_answer_leaves_the_page_before_its_last_events_have_come() -> None:
    steps = [step(1, type="click", target="e3"), step(2, type="click", target="e3")]
    events = [event("focus", 1, **ANSWER)]
    checks = steps_checked(steps, events, answered_in=2).checks
    assert [checks[number].kind for number in (1, 2)] == ["no_effect", "unknown"]
    late = event("click", 2, **SUBMIT)
    assert steps_checked(steps, [*events, late], answered_in=2).checks[2].kind == "confirmed"


def test_several_actions_are_each_checked_against_their_own_step() -> None:
    steps = [
        step(1, type="type", target="e2", text="42"),
        step(2, type="click", target="e1"),
        step(3, type="click", target="e3"),
    ]
    events = [event("input", 1, value="42", **ANSWER), event("click", 3, **SUBMIT)]
    episode_check = steps_checked(steps, events)
    assert [episode_check.checks[number].kind for number in (1, 2, 3)] == [
        "confirmed",
        "no_effect",
        "confirmed",
    ]


def test_events_of_no_recorded_step_are_unexplained() -> None:
    episode_check = steps_checked(
        [step(2, type="wait")], [event("click", 1, **SUBMIT), event("click", None, **SUBMIT)]
    )
    assert [one.step for one in episode_check.unexplained] == [None, None]
    assert episode_check.checks[2].kind == "confirmed"


def test_without_any_number_events_are_placed_by_time() -> None:
    steps = [step(1, at_s=0, type="click", target="e3"), step(2, at_s=10, type="click", target="e3")]
    first, late = event("click", None, after_s=0.4, **SUBMIT), event("click", None, after_s=5, **SUBMIT)
    episode_check = steps_checked(steps, [first, late])
    assert episode_check.checks[1].kind == "confirmed"
    assert episode_check.checks[2].kind == "no_effect"
    assert [one.step for one in episode_check.unexplained] == [None]


def test_if_any_event_has_a_step_number_none_is_placed_by_time() -> None:
    steps = [step(1, at_s=0, type="click", target="e3"), step(2, at_s=10, type="click", target="e3")]
    events = [event("click", None, after_s=0.4, **SUBMIT), event("click", 2, after_s=10.4, **SUBMIT)]
    assert steps_checked(steps, events).checks[1].kind == "no_effect"


def test_without_numbers_or_times_nothing_is_known() -> None:
    seen = event("click", None, **SUBMIT)
    assert checked(step(at_s=None, type="click", target="e3"), seen).kind == "unknown"
    # Except that the harness itself reports that it did nothing.
    refused = step(at_s=None, result="refused", type="goto", url="https://elsewhere.example/")
    assert checked(refused, seen).kind == "no_effect"
    # What did it may be this very step.
    assert steps_checked([step(at_s=None, type="click", target="e3")], [seen]).unexplained == []


@pytest.mark.parametrize(
    "action",
    [
        {"type": "goto", "url": "https://elsewhere.example/"},
        {"type": "press", "key": "Control+a"},
        {"type": "press", "key": "Enter"},
        {"type": "type", "target": "e2", "text": ""},
        {"type": "back"},
        {"type": "teleport"},
    ],
)
def test_an_action_refused_by_the_harness_has_no_effect_whatever_its_type(action: dict[str, str]) -> None:
    check = checked(step(result="refused", **action), event("focus", **SUBMIT))
    assert check == ActionCheck(kind="no_effect", detail="the harness refused the action")


def test_an_event_outside_all_steps_is_unexplained_and_belongs_to_no_step() -> None:
    seen = event("click", None, after_s=60, **SUBMIT)
    episode_check = steps_checked([step(type="wait")], [seen])
    assert episode_check.checks[1].kind == "confirmed"
    assert [(one.step, one.kind) for one in episode_check.unexplained] == [(None, "click")]


def test_malformed_actions_and_events_raise_no_error() -> None:
    odd = [None, [], {}, "", -1, 1e400, True, "\u202e" * 3000, {"a": []}]
    kinds = ["click", "type", "press", "scroll", "select", "goto", "back", "wait", "answer", "noop", "x"]
    for value in odd:
        for kind in kinds:
            names = ("target", "text", "key", "value", "url", "dx", "dy", "x", "y")
            declared = step(**{"type": kind, **dict.fromkeys(names, value)})
            data = dict.fromkeys(("role", "name", "x", "y", "value", "key", "path", "scroll"), value)
            seen = [event(name, **data) for name in ("click", "input", "key", "scroll", "load", "focus")]
            episode_check = steps_checked([declared], seen)
            assert len(episode_check.checks[1].detail) <= 200
