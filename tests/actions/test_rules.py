"""The check of each action type: the declared action, the reported events, the resulting check."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.actions.cases import ANSWER, SUBMIT, checked, event, served, step, steps_checked
from trajectories.actions.types import DeclaredStep, ReportedEvent
from trajectories.behaviour.facts.types import ActionCheck


def test_a_click_on_the_named_button_is_confirmed() -> None:
    assert checked(step(type="click", target="e3"), event("click", **SUBMIT)).kind == "confirmed"


def test_a_click_that_no_page_saw_has_no_effect() -> None:
    check = checked(step(type="click", target="e3"), event("focus", **ANSWER))
    assert check == ActionCheck(kind="no_effect", detail="no page recorded a click: it hit nothing")


@pytest.mark.parametrize("around", [{}, {"is_silent": True}, {"is_recorded": False}])
def test_a_click_on_a_missing_element_is_reported_as_missing_whatever_the_page_reports(
    around: dict[str, Any],
) -> None:
    check = checked(step(type="click", target="e99", result="no_target"), **around)
    assert check == ActionCheck(
        kind="no_effect", detail="the action named an element that was not on the page: e99"
    )


def test_an_element_that_was_shown_but_not_reached_is_not_reported_as_missing() -> None:
    check = checked(step(type="click", target="e3", result="no_target"))
    assert check.kind == "no_effect"
    assert "was shown, but could no longer be reached" in check.detail


def test_a_failed_action_without_a_target_names_no_element() -> None:
    check = checked(step(type="scroll", dx=100, result="no_target"))
    assert check == ActionCheck(kind="no_effect", detail="the harness found no element to act on")


def test_a_click_on_another_element_has_a_different_effect_and_names_both() -> None:
    check = checked(step(type="click", target="e1"), event("click", **SUBMIT))
    assert check.kind == "different_effect"
    assert "button “Submit”" in check.detail
    assert "link “Home”" in check.detail


def test_a_click_on_a_label_is_a_click_on_its_control() -> None:
    label = event("click", role="label", name="I am sure", trusted=True)
    control = event("click", role="checkbox", name="I am sure", trusted=True)
    change = event("input", role="checkbox", name="I am sure", checked=True)
    episode_check = steps_checked([step(type="click", target="e6")], [label, control, change])
    assert episode_check.checks[1].kind == "confirmed"
    assert episode_check.unexplained == []


def test_an_element_name_with_a_formula_matches_the_name_of_the_rendered_formula() -> None:
    seen = event("click", role="button", name="Solve x2x^2", trusted=True)
    assert checked(step(type="click", target="e7"), seen).kind == "confirmed"


@pytest.mark.parametrize(("x", "kind"), [(412, "confirmed"), (40, "different_effect")])
def test_a_click_by_place_is_compared_by_place(x: int, kind: str) -> None:
    assert checked(step(type="click", x=x, y=388), event("click", **SUBMIT)).kind == kind


def test_a_click_on_an_unknown_element_is_confirmed_by_any_click() -> None:
    assert checked(step(type="click", target="e77"), event("click", **SUBMIT)).kind == "confirmed"


def test_a_click_that_left_the_page_may_have_lost_its_event() -> None:
    check = checked(step(type="click", target="e1"), event("load", 1, "p2", path="home"))
    assert check.kind == "unknown"
    assert "was left" in check.detail


def test_a_second_click_elsewhere_is_unexplained() -> None:
    other = event("click", role="link", name="Home", trusted=True)
    episode_check = steps_checked([step(type="click", target="e3")], [event("click", **SUBMIT), other])
    assert episode_check.checks[1].kind == "confirmed"
    assert [(one.step, one.kind, one.what) for one in episode_check.unexplained] == [
        (1, "click", "a click on link “Home”")
    ]


def test_typing_into_the_named_field_is_confirmed() -> None:
    keys = event("key", key="Enter", **ANSWER)
    typed = event("input", value="10/11", **ANSWER)
    episode_check = steps_checked(
        [step(type="type", target="e2", text="10/11\n")], [event("focus", **ANSWER), typed, keys]
    )
    assert episode_check.checks[1] == ActionCheck(kind="confirmed")
    assert episode_check.unexplained == []


def test_typing_into_another_field_has_a_different_effect() -> None:
    check = checked(
        step(type="type", target="e2", text="42"), event("input", role="textbox", name="Notes", value="42")
    )
    assert check.kind == "different_effect"
    assert "Notes" in check.detail


@pytest.mark.parametrize(
    ("held", "detail"),
    [
        ("200", "the field holds “200”"),
        (" a\n b ", "the field holds “a b”"),
        ("", "the field is empty"),
        ("7" * 1_000, f"the field holds “{'7' * 79}…”"),
        (f"{'a' * 70}/e/{'t' * 32}", f"the field holds “{'a' * 70}/e/***”"),
    ],
)
def test_typing_that_left_another_text_has_a_different_effect_and_shows_the_text(
    held: str, detail: str
) -> None:
    check = checked(step(type="type", target="e2", text="42"), event("input", value=held, **ANSWER))
    assert check == ActionCheck(kind="different_effect", detail=detail)


def test_typing_that_no_field_reported_has_no_effect() -> None:
    assert checked(step(type="type", target="e2", text="42")).kind == "no_effect"


def test_a_focus_without_an_input_event_leaves_the_check_unknown() -> None:
    assert checked(step(type="type", target="e2", text="42"), event("focus", **ANSWER)).kind == "unknown"


def test_a_password_is_confirmed_by_its_field_alone() -> None:
    assert (
        checked(step(type="type", target="e2", text="s3cret"), event("input", **ANSWER)).kind == "confirmed"
    )


@pytest.mark.parametrize(
    ("pressed", "reported", "kind"),
    [
        ("Enter", "Enter", "confirmed"),
        ("Shift+Tab", "Tab", "confirmed"),
        ("Enter", "Escape", "different_effect"),
        ("Enter", None, "no_effect"),
        ("a", None, "unknown"),
    ],
)
def test_a_pressed_key_is_compared_with_the_one_reported(
    pressed: str, reported: str | None, kind: str
) -> None:
    keys = [event("key", key=reported, **ANSWER)] if reported else []
    assert checked(step(type="press", key=pressed), *keys).kind == kind


def test_a_key_pressed_in_another_field_has_a_different_effect() -> None:
    declared = step(type="press", key="Enter", target="e5")
    assert checked(declared, event("key", key="Enter", **ANSWER)).kind == "different_effect"


def test_enter_that_clicks_the_forms_button_leaves_nothing_unexplained() -> None:
    seen = [event("key", key="Enter", **ANSWER), event("click", **SUBMIT), event("submit")]
    episode_check = steps_checked([step(type="press", key="Enter", target="e2")], seen)
    assert episode_check.checks[1].kind == "confirmed"
    assert episode_check.unexplained == []


def test_a_letter_that_a_field_took_is_confirmed() -> None:
    assert checked(step(type="press", key="a"), event("input", value="a", **ANSWER)).kind == "confirmed"


@pytest.mark.parametrize(("y", "kind"), [(400, "confirmed"), (200, "different_effect")])
def test_scrolling_is_compared_by_direction(y: int, kind: str) -> None:
    steps = [step(1, type="scroll", dy=300), step(2, type="scroll", dy=100)]
    events = [event("load", 1), event("scroll", 1, x=0, y=300), event("scroll", 2, x=0, y=y)]
    assert steps_checked(steps, events).checks[2].kind == kind


def test_scrolling_that_moved_nothing_has_no_effect() -> None:
    assert checked(step(type="scroll", dy=300)).kind == "no_effect"


@pytest.mark.parametrize("distance", [{}, {"direction": "down"}, {"dx": 0, "dy": 0}, {"dy": 10**300}])
@pytest.mark.parametrize("result", ["ok", "invalid"])
def test_a_scroll_without_a_distance_is_never_confirmed(distance: dict[str, Any], result: str) -> None:
    seen = [event("load", 1), event("scroll", 1, x=0, y=300)]
    check = checked(step(type="scroll", result=result, **distance), *seen)
    assert check == ActionCheck(kind="none", detail="the action names no distance")


def test_a_scroll_event_may_arrive_late_with_the_number_of_the_next_step() -> None:
    steps = [step(1, type="scroll", dy=300), step(2, type="click", target="e3")]
    episode_check = steps_checked(steps, [event("scroll", 2, x=0, y=300), event("click", 2, **SUBMIT)])
    assert [match.kind for match in episode_check.checks.values()] == ["confirmed", "confirmed"]


UNIT = {"role": "combobox", "name": "Unit"}


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([event("input", value="km", **UNIT)], "confirmed"),
        ([event("input", value="u-2", **UNIT)], "confirmed"),
        ([event("input", value="cm", **UNIT)], "different_effect"),
        ([event("input", value="km", **ANSWER)], "different_effect"),
        ([], "no_effect"),
    ],
)
def test_a_choice_is_compared_by_list_and_option(events: list[ReportedEvent], kind: str) -> None:
    assert checked(step(type="select", target="e4", value="km"), *events).kind == kind


@pytest.mark.parametrize(
    ("path", "kind"), [("stays/12", "confirmed"), ("", "different_effect"), (None, "no_effect")]
)
def test_an_address_is_compared_with_the_page_that_was_served(path: str | None, kind: str) -> None:
    pages = [] if path is None else [served(path)]
    assert checked(step(type="goto", url="https://gym/stays/12?guests=2"), pages=pages).kind == kind


@pytest.mark.parametrize("action", [{"type": "goto", "url": "https://gym/stays/12"}, {"type": "back"}])
def test_a_page_that_claims_to_have_loaded_confirms_nothing(action: dict[str, str]) -> None:
    forged = event("load", 1, "p2", path="stays/12")
    assert checked(step(**action), forged).kind == "unknown"
    assert checked(step(**action), forged, pages=[served("stays/12", 2)]).kind == "unknown"


def test_a_page_that_claims_another_path_than_was_served_accuses_nobody() -> None:
    forged = event("load", 1, "p2", path="elsewhere")
    declared = step(type="goto", url="https://gym/stays/12")
    assert checked(declared, forged, pages=[served("stays/12")]).kind == "confirmed"


@pytest.mark.parametrize(("after_s", "kind"), [(0.3, "confirmed"), (9.0, "no_effect")])
def test_pages_without_a_step_number_belong_to_the_step_in_whose_time_they_were_served(
    after_s: float, kind: str
) -> None:
    pages = [served("stays/12", None, after_s)]
    assert checked(step(type="goto", url="https://gym/stays/12"), pages=pages).kind == kind


def test_past_the_limit_of_noted_pages_an_address_is_unknown() -> None:
    capped = ReportedEvent(kind="pages_capped", step=1)
    assert checked(step(type="goto", url="https://gym/stays/12"), pages=[capped]).kind == "unknown"


def test_going_back_is_confirmed_by_a_page_that_was_served() -> None:
    assert checked(step(type="back"), pages=[served("")]).kind == "confirmed"


def test_going_back_from_the_first_page_has_no_effect() -> None:
    assert checked(step(type="back", result="no_target")).kind == "no_effect"


def test_going_back_without_a_page_load_is_unknown() -> None:
    assert checked(step(type="back")).kind == "unknown"


@pytest.mark.parametrize("kind", ["wait", "noop"])
def test_waiting_is_confirmed_by_silence_and_an_event_during_it_is_unexplained(kind: str) -> None:
    assert checked(step(type=kind)).kind == "confirmed"
    episode_check = steps_checked([step(type=kind)], [event("click", **SUBMIT)])
    assert episode_check.checks[1].kind == "unexplained"
    assert episode_check.checks[1].detail == "the page recorded a click on button “Submit”"
    assert len(episode_check.unexplained) == 1


def test_events_of_a_step_without_an_action_are_unexplained() -> None:
    assert checked(step()).kind == "none"
    assert checked(step(), event("input", value="1", **ANSWER)).kind == "unexplained"


def test_a_click_of_the_pages_own_script_is_not_unexplained() -> None:
    episode_check = steps_checked([step(type="wait")], [event("click", **{**SUBMIT, "trusted": False})])
    assert episode_check.checks[1].kind == "confirmed"
    assert episode_check.unexplained == []


@pytest.mark.parametrize(
    ("taken", "kind"),
    [("42", "confirmed"), (["42"], "confirmed"), ("41", "different_effect"), (None, "no_effect")],
)
def test_an_answer_is_compared_with_the_submission(taken: object, kind: str) -> None:
    assert checked(step(type="answer", text="42"), answer=taken).kind == kind


def test_an_answer_is_also_compared_in_arms_without_a_page() -> None:
    check = checked(step(type="answer", text="42"), has_page=False, answer="42")
    assert check.kind == "confirmed"


LONG = (
    "Reviewers who mention the strap, and say when it broke, how often they carried it, what they paid "
    "for it and whether they would buy it again"
)
PLACED = "1/0/3"


def placed(path: str = PLACED) -> DeclaredStep:
    return msgspec.structs.replace(step(type="click", target="e1"), target_path=path)


@pytest.mark.parametrize(
    ("element", "role", "expected"),
    [
        (PLACED, "link", "confirmed"),
        (f"{PLACED}/0", "img", "confirmed"),
        ("1/0", "link", "confirmed"),
        ("1/0", "main", "different_effect"),
        ("1/0/30", "link", "different_effect"),
        ("1/0/4", "link", "different_effect"),
    ],
)
def test_a_click_is_on_the_target_by_its_place_whatever_it_is_called(
    element: str, role: str, expected: str
) -> None:
    for name in ("Home", "Something else", ""):
        clicked = event("click", element=element, role=role, name=name)
        assert checked(placed(), clicked).kind == expected


def test_names_decide_where_the_page_or_the_harness_gives_no_place() -> None:
    home, other = ({"role": "link", "name": name} for name in ("Home", "Away"))
    assert checked(placed(), event("click", **home)).kind == "confirmed"
    assert checked(placed(), event("click", **other)).kind == "different_effect"
    assert checked(placed(""), event("click", element="1/9", **home)).kind == "confirmed"


@pytest.mark.parametrize(
    ("named", "reported", "expected"),
    [
        (LONG, LONG[:120], "confirmed"),
        (f"{LONG} {LONG}", f"  {LONG}\n{LONG}"[:120], "confirmed"),
        ("First line Second line", "First lineSecond line", "confirmed"),
        (f"{LONG} $x^2$ and more", f"{LONG} x2 and more"[:120], "confirmed"),
        (LONG, f"Another {LONG}"[:120], "different_effect"),
        ("First line", "Second line", "different_effect"),
        (f"Buy {LONG}", f"Sell {LONG}"[:120], "different_effect"),
    ],
)
def test_long_labels_are_compared_as_far_as_the_page_reports_them(
    named: str, reported: str, expected: str
) -> None:
    shown = msgspec.structs.replace(
        step(type="click", target="e1"), observation=f'[e1] link "{named}" -> https://gym/'
    )
    assert checked(shown, event("click", role="link", name=reported)).kind == expected
