"""Made cases for each kind of action: what is declared, what the page reports, what is said of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from trajectories.facts.action_check import Declared, Match, Reported, SaidDone, Surroundings, said_done

PAGE = """page "Problem" https://gym/
[e1] link "Home" -> https://gym/
[e2] textbox "Your answer" value=""
[e3] button "Submit"
[e4] combobox "Unit" value="m" options: "m" | "km" | "cm"
[e5] textbox "Notes" value=""
[e6] checkbox "I am sure" unchecked
[e7] button "Solve $x^2$"
"""
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SUBMIT = {"role": "button", "name": "Submit", "x": 412, "y": 388, "trusted": True}
ANSWER = {"role": "textbox", "name": "Your answer"}


def event(kind: str, step: int | None = 1, page: str = "p1", after_s: float = 0.2, **data: Any) -> Reported:
    return Reported(page=page, seq=1, kind=kind, step=step, data=data, at=START + timedelta(seconds=after_s))


def step(index: int = 1, result: str = "ok", at_s: float | None = 0, **action: Any) -> Declared:
    return Declared(
        index=index,
        action=action or None,
        result=result,
        observation=PAGE,
        started_at=None if at_s is None else START + timedelta(seconds=at_s),
        duration_ms=500,
    )


LOADED = event("load", None, after_s=-5, path="", width=1280)


def compared(
    steps: list[Declared], events: list[Reported], *, is_silent: bool = False, **around: Any
) -> SaidDone:
    before = [] if is_silent else [LOADED]
    return said_done(steps, [*before, *events], Surroundings(**around))


def matched(declared: Declared, *events: Reported, **around: Any) -> Match:
    return compared([declared], list(events), **around).matches[declared.index]


def test_a_click_on_the_named_button_is_confirmed() -> None:
    assert matched(step(type="click", target="e3"), event("click", **SUBMIT)).kind == "confirmed"


def test_a_click_that_no_page_saw_is_not_seen() -> None:
    found = matched(step(type="click", target="e3"), event("focus", **ANSWER))
    assert found == Match(kind="not_seen", detail="no page saw a click: it hit nothing")


@pytest.mark.parametrize("around", [{}, {"is_silent": True}, {"is_recorded": False}])
def test_a_click_on_what_was_not_there_says_so_whatever_pages_report(around: dict[str, Any]) -> None:
    found = matched(step(type="click", target="e99", result="no_target"), **around)
    assert found == Match(kind="not_seen", detail="the action named an element that was not there: e99")


def test_an_element_that_was_shown_and_not_reached_was_there() -> None:
    found = matched(step(type="click", target="e3", result="no_target"))
    assert found.kind == "not_seen"
    assert "was shown, but could not be reached" in found.detail


def test_what_is_not_done_without_naming_an_element_says_so() -> None:
    found = matched(step(type="scroll", dx=100, result="no_target"))
    assert found == Match(kind="not_seen", detail="the harness found nothing there to act on")


def test_a_click_on_another_element_is_different_and_names_both() -> None:
    found = matched(step(type="click", target="e1"), event("click", **SUBMIT))
    assert found.kind == "different"
    assert "button “Submit”" in found.detail
    assert "link “Home”" in found.detail


def test_a_click_on_a_label_is_a_click_on_its_control() -> None:
    label = event("click", role="label", name="I am sure", trusted=True)
    control = event("click", role="checkbox", name="I am sure", trusted=True)
    change = event("input", role="checkbox", name="I am sure", checked=True)
    found = compared([step(type="click", target="e6")], [label, control, change])
    assert found.matches[1].kind == "confirmed"
    assert found.extras == []


def test_a_formula_in_a_name_is_reported_as_drawn_and_does_not_make_it_different() -> None:
    seen = event("click", role="button", name="Solve x2x^2", trusted=True)
    assert matched(step(type="click", target="e7"), seen).kind == "confirmed"


@pytest.mark.parametrize(("x", "kind"), [(412, "confirmed"), (40, "different")])
def test_a_click_by_place_is_compared_by_place(x: int, kind: str) -> None:
    assert matched(step(type="click", x=x, y=388), event("click", **SUBMIT)).kind == kind


def test_a_click_on_what_no_observation_shows_is_confirmed_by_any_click() -> None:
    assert matched(step(type="click", target="e77"), event("click", **SUBMIT)).kind == "confirmed"


def test_a_click_after_which_the_page_was_left_may_be_lost() -> None:
    found = matched(step(type="click", target="e1"), event("load", 1, "p2", path="home"))
    assert found.kind == "unknown"
    assert "was left" in found.detail


def test_a_second_click_elsewhere_is_extra() -> None:
    other = event("click", role="link", name="Home", trusted=True)
    found = compared([step(type="click", target="e3")], [event("click", **SUBMIT), other])
    assert found.matches[1].kind == "confirmed"
    assert [(one.step, one.kind, one.what) for one in found.extras] == [
        (1, "click", "a click on link “Home”")
    ]


def test_typing_into_the_named_field_is_confirmed() -> None:
    keys = event("key", key="Enter", **ANSWER)
    typed = event("input", value="10/11", **ANSWER)
    found = compared(
        [step(type="type", target="e2", text="10/11\n")], [event("focus", **ANSWER), typed, keys]
    )
    assert found.matches[1] == Match(kind="confirmed")
    assert found.extras == []


def test_typing_into_another_field_is_different() -> None:
    found = matched(
        step(type="type", target="e2", text="42"), event("input", role="textbox", name="Notes", value="42")
    )
    assert found.kind == "different"
    assert "Notes" in found.detail


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("200", "the field holds “200”"),
        (" a\n b ", "the field holds “a b”"),
        ("", "the field is empty"),
        ("7" * 1_000, f"the field holds “{'7' * 79}…”"),
        (f"{'a' * 70}/e/{'t' * 32}", f"the field holds “{'a' * 70}/e/***”"),
    ],
)
def test_typing_that_left_another_text_is_different_and_tells_which(held: str, told: str) -> None:
    found = matched(step(type="type", target="e2", text="42"), event("input", value=held, **ANSWER))
    assert found == Match(kind="different", detail=told)


def test_typing_that_no_field_reported_is_not_seen() -> None:
    assert matched(step(type="type", target="e2", text="42")).kind == "not_seen"


def test_a_focused_field_that_reports_no_text_leaves_it_open() -> None:
    assert matched(step(type="type", target="e2", text="42"), event("focus", **ANSWER)).kind == "unknown"


def test_a_password_is_confirmed_by_its_field_alone() -> None:
    assert (
        matched(step(type="type", target="e2", text="s3cret"), event("input", **ANSWER)).kind == "confirmed"
    )


@pytest.mark.parametrize(
    ("said", "seen", "kind"),
    [
        ("Enter", "Enter", "confirmed"),
        ("Shift+Tab", "Tab", "confirmed"),
        ("Enter", "Escape", "different"),
        ("Enter", None, "not_seen"),
        ("a", None, "unknown"),
    ],
)
def test_a_pressed_key_is_compared_with_the_one_reported(said: str, seen: str | None, kind: str) -> None:
    keys = [event("key", key=seen, **ANSWER)] if seen else []
    assert matched(step(type="press", key=said), *keys).kind == kind


def test_a_key_pressed_in_another_field_is_different() -> None:
    declared = step(type="press", key="Enter", target="e5")
    assert matched(declared, event("key", key="Enter", **ANSWER)).kind == "different"


def test_enter_that_clicks_the_forms_button_makes_nothing_extra() -> None:
    seen = [event("key", key="Enter", **ANSWER), event("click", **SUBMIT), event("submit")]
    found = compared([step(type="press", key="Enter", target="e2")], seen)
    assert found.matches[1].kind == "confirmed"
    assert found.extras == []


def test_a_letter_that_a_field_took_is_confirmed() -> None:
    assert matched(step(type="press", key="a"), event("input", value="a", **ANSWER)).kind == "confirmed"


@pytest.mark.parametrize(("y", "kind"), [(400, "confirmed"), (200, "different")])
def test_scrolling_is_compared_by_direction(y: int, kind: str) -> None:
    steps = [step(1, type="scroll", dy=300), step(2, type="scroll", dy=100)]
    events = [event("load", 1), event("scroll", 1, x=0, y=300), event("scroll", 2, x=0, y=y)]
    assert compared(steps, events).matches[2].kind == kind


def test_scrolling_that_moved_nothing_is_not_seen() -> None:
    assert matched(step(type="scroll", dy=300)).kind == "not_seen"


@pytest.mark.parametrize("asked", [{}, {"direction": "down"}, {"dx": 0, "dy": 0}, {"dy": 10**300}])
@pytest.mark.parametrize("result", ["ok", "invalid"])
def test_a_scroll_without_a_distance_is_never_confirmed(asked: dict[str, Any], result: str) -> None:
    seen = [event("load", 1), event("scroll", 1, x=0, y=300)]
    found = matched(step(type="scroll", result=result, **asked), *seen)
    assert found == Match(kind="none", detail="nothing was asked: it names no distance")


def test_scrolling_is_reported_late_and_may_carry_the_next_steps_number() -> None:
    steps = [step(1, type="scroll", dy=300), step(2, type="click", target="e3")]
    found = compared(steps, [event("scroll", 2, x=0, y=300), event("click", 2, **SUBMIT)])
    assert [match.kind for match in found.matches.values()] == ["confirmed", "confirmed"]


UNIT = {"role": "combobox", "name": "Unit"}


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([event("input", value="km", **UNIT)], "confirmed"),
        ([event("input", value="u-2", **UNIT)], "confirmed"),
        ([event("input", value="cm", **UNIT)], "different"),
        ([event("input", value="km", **ANSWER)], "different"),
        ([], "not_seen"),
    ],
)
def test_a_choice_is_compared_by_list_and_option(events: list[Reported], kind: str) -> None:
    assert matched(step(type="select", target="e4", value="km"), *events).kind == kind


@pytest.mark.parametrize(("path", "kind"), [("stays/12", "confirmed"), ("", "different"), (None, "not_seen")])
def test_an_address_is_compared_with_the_page_that_came(path: str | None, kind: str) -> None:
    loads = [] if path is None else [event("load", 1, "p2", path=path)]
    assert matched(step(type="goto", url="https://gym/stays/12?guests=2"), *loads).kind == kind


def test_going_back_is_confirmed_by_the_page_that_came() -> None:
    assert matched(step(type="back"), event("load", 1, "p2", path="")).kind == "confirmed"


def test_going_back_from_the_first_page_is_not_seen() -> None:
    assert matched(step(type="back", result="no_target")).kind == "not_seen"


def test_a_page_that_came_back_from_memory_is_unknown() -> None:
    assert matched(step(type="back")).kind == "unknown"


@pytest.mark.parametrize("kind", ["wait", "noop"])
def test_waiting_is_confirmed_by_silence_and_an_event_meanwhile_is_extra(kind: str) -> None:
    assert matched(step(type=kind)).kind == "confirmed"
    found = compared([step(type=kind)], [event("click", **SUBMIT)])
    assert found.matches[1].kind == "extra"
    assert found.matches[1].detail == "the page saw a click on button “Submit”"
    assert len(found.extras) == 1


def test_a_step_without_an_action_has_nothing_to_compare_but_events_are_extra() -> None:
    assert matched(step()).kind == "none"
    assert matched(step(), event("input", value="1", **ANSWER)).kind == "extra"


def test_a_click_of_the_pages_own_script_is_not_extra() -> None:
    found = compared([step(type="wait")], [event("click", **{**SUBMIT, "trusted": False})])
    assert found.matches[1].kind == "confirmed"
    assert found.extras == []


@pytest.mark.parametrize(
    ("taken", "kind"), [("42", "confirmed"), (["42"], "confirmed"), ("41", "different"), (None, "not_seen")]
)
def test_an_answer_is_compared_with_the_one_taken(taken: object, kind: str) -> None:
    assert matched(step(type="answer", text="42"), answer=taken).kind == kind


def test_an_answer_is_compared_in_arms_without_a_page_too() -> None:
    found = matched(step(type="answer", text="42"), has_page=False, answer="42")
    assert found.kind == "confirmed"


def test_an_action_of_an_unknown_type_is_unknown() -> None:
    assert matched(step(type="teleport"), event("click", **SUBMIT)).kind == "unknown"


@pytest.mark.parametrize(
    ("around", "word"),
    [
        ({"has_page": False}, "no page"),
        ({"is_recorded": False}, "not recorded"),
        ({"is_silent": True}, "JavaScript"),
    ],
)
def test_nothing_is_known_where_no_page_can_report(around: dict[str, Any], word: str) -> None:
    found = matched(step(type="click", target="e3"), **around)
    assert found.kind == "unknown"
    assert word in found.detail


def test_after_the_limit_of_events_what_was_not_seen_is_unknown() -> None:
    steps = [step(1, type="click", target="e3"), step(2, type="click", target="e3")]
    capped = event("capped", None, "")
    assert compared(steps, [event("focus", 1, **ANSWER), capped]).matches[2].kind == "unknown"
    # Before the last event that was kept nothing was dropped.
    kept = [event("focus", 2, **ANSWER), capped]
    assert compared(steps, kept).matches[1].kind == "not_seen"


def test_several_actions_are_each_matched_with_their_own_step() -> None:
    steps = [
        step(1, type="type", target="e2", text="42"),
        step(2, type="click", target="e1"),
        step(3, type="click", target="e3"),
    ]
    events = [event("input", 1, value="42", **ANSWER), event("click", 3, **SUBMIT)]
    found = compared(steps, events)
    assert [found.matches[number].kind for number in (1, 2, 3)] == ["confirmed", "not_seen", "confirmed"]


def test_events_of_no_recorded_step_are_extra() -> None:
    found = compared([step(2, type="wait")], [event("click", 1, **SUBMIT), event("click", None, **SUBMIT)])
    assert [one.step for one in found.extras] == [None, None]
    assert found.matches[2].kind == "confirmed"


def test_without_any_number_events_are_tied_by_time() -> None:
    steps = [step(1, at_s=0, type="click", target="e3"), step(2, at_s=10, type="click", target="e3")]
    first, late = event("click", None, after_s=0.4, **SUBMIT), event("click", None, after_s=5, **SUBMIT)
    found = compared(steps, [first, late])
    assert found.matches[1].kind == "confirmed"
    assert found.matches[2].kind == "not_seen"
    assert [one.step for one in found.extras] == [None]


def test_with_one_number_none_is_tied_by_time() -> None:
    steps = [step(1, at_s=0, type="click", target="e3"), step(2, at_s=10, type="click", target="e3")]
    events = [event("click", None, after_s=0.4, **SUBMIT), event("click", 2, after_s=10.4, **SUBMIT)]
    assert compared(steps, events).matches[1].kind == "not_seen"


def test_without_numbers_or_times_nothing_is_known() -> None:
    seen = event("click", None, **SUBMIT)
    assert matched(step(at_s=None, type="click", target="e3"), seen).kind == "unknown"
    # But the harness's own word that it did nothing.
    refused = step(at_s=None, result="refused", type="goto", url="https://elsewhere.example/")
    assert matched(refused, seen).kind == "not_seen"
    # What did it may be this very step.
    assert compared([step(at_s=None, type="click", target="e3")], [seen]).extras == []


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
def test_what_the_harness_refused_was_not_done_whatever_it_was(action: dict[str, str]) -> None:
    found = matched(step(result="refused", **action), event("focus", **SUBMIT))
    assert found == Match(kind="not_seen", detail="the harness refused it")


def test_an_event_outside_of_all_steps_is_extra_and_belongs_to_none() -> None:
    seen = event("click", None, after_s=60, **SUBMIT)
    found = compared([step(type="wait")], [seen])
    assert found.matches[1].kind == "confirmed"
    assert [(one.step, one.kind) for one in found.extras] == [(None, "click")]


def test_whatever_stands_in_action_and_event_nothing_breaks() -> None:
    odd = [None, [], {}, "", -1, 1e400, True, "\u202e" * 3000, {"a": []}]
    kinds = ["click", "type", "press", "scroll", "select", "goto", "back", "wait", "answer", "noop", "x"]
    for value in odd:
        for kind in kinds:
            names = ("target", "text", "key", "value", "url", "dx", "dy", "x", "y")
            declared = step(**{"type": kind, **dict.fromkeys(names, value)})
            data = dict.fromkeys(("role", "name", "x", "y", "value", "key", "path", "scroll"), value)
            seen = [event(name, **data) for name in ("click", "input", "key", "scroll", "load", "focus")]
            found = compared([declared], seen)
            assert len(found.matches[1].detail) <= 200
