from __future__ import annotations

from typing import Any

import pytest

from verifiers import registry
from verifiers.types import Evidence, Gold

registry.discover()

STATE = {"trips": [{"code": "ABC234", "status": "booked"}], "fees": []}
GOLD = Gold("412.50|ABC234", extra={"state": STATE})
ANSWER = ("412.50", "ABC234")


def judge(answer: str | tuple[str, ...], state: Any, gold: Gold = GOLD) -> Any:
    return registry.run("site_state-v1", gold=gold, evidence=Evidence(answer, {"state": state}))


def test_the_right_answer_in_the_right_state_is_correct() -> None:
    verdict = judge(ANSWER, STATE)
    assert (verdict.correct, verdict.metrics) == (True, {"values_right": 1.0, "state_right": 1.0})


def test_the_right_answer_without_the_action_is_incorrect() -> None:
    verdict = judge(ANSWER, {**STATE, "trips": []})
    assert (verdict.correct, verdict.metrics) == (False, {"values_right": 1.0, "state_right": 0.0})


def test_the_right_action_without_the_answer_is_incorrect() -> None:
    verdict = judge(("412.51", "ABC234"), STATE)
    assert (verdict.correct, verdict.metrics) == (False, {"values_right": 0.5, "state_right": 1.0})


def test_an_additional_trip_is_incorrect() -> None:
    more = {**STATE, "trips": [*STATE["trips"], {"code": "XYZ789", "status": "booked"}]}
    assert not judge(ANSWER, more).correct


def test_closed_banners_and_searches_do_not_count() -> None:
    assert judge(ANSWER, {**STATE, "closed": ["cookies"], "searches": [{"place": "x"}]}).correct


def test_a_missing_state_is_our_failure_and_not_a_wrong_answer() -> None:
    with pytest.raises(ValueError, match="evidence has none"):
        registry.run("site_state-v1", gold=GOLD, evidence=Evidence(ANSWER))


def test_a_reading_task_is_judged_without_a_state() -> None:
    assert judge(ANSWER, None, Gold(GOLD.answer)).correct


@pytest.mark.parametrize("given", ["1,204.50", "1204.5", "EUR 1204.50", "1204.50 euros.", "\u20ac1204.50"])
def test_an_amount_matches_in_any_notation(given: str) -> None:
    assert judge((given,), None, Gold("1204.50")).correct


@pytest.mark.parametrize(
    "given",
    [
        "1204,50",
        "12,04.50",
        "1204.50.",
        "1204.501",
        "1 204.50",
        "1204.50 USD",
        "1204.50 or 1204.60",
        "1204\u20ac.50",
    ],
)
def test_another_amount_is_incorrect(given: str) -> None:
    assert not judge((given,), None, Gold("1204.50")).correct


@pytest.mark.parametrize(
    "given",
    ["2028-02-29", "29 February 2028", "Feb 29, 2028", "Tue 29 Feb 2028", "29th February, 2028", "2028-2-29"],
)
def test_a_date_matches_in_any_notation(given: str) -> None:
    assert judge((given,), None, Gold("2028-02-29")).correct


@pytest.mark.parametrize(
    "given", ["29/02/2028", "28-2-29", "29 Foo 2028", "29-02-2028", "31 February 2028", "2028-02-28"]
)
def test_another_day_is_incorrect(given: str) -> None:
    assert not judge((given,), None, Gold("2028-02-29")).correct


@pytest.mark.parametrize(
    "given", ["12", "12 reviews", "12 Reviews.", "12 helpful votes", "12 nights", "12 stars"]
)
def test_a_count_may_name_what_it_counts(given: str) -> None:
    assert judge((given,), None, Gold("12")).correct


@pytest.mark.parametrize(
    "given", ["12 thousand", "12 k", "12 reviews or 13", "12 reviews 3", "twelve", "1 2"]
)
def test_another_number_or_two_numbers_are_incorrect(given: str) -> None:
    assert not judge((given,), None, Gold("12")).correct


@pytest.mark.parametrize("given", ["c", "C", "(c)", "c.", "c)", "condition c", "Condition (c)."])
def test_a_condition_matches_by_its_letter(given: str) -> None:
    assert judge((given,), None, Gold("c")).correct


@pytest.mark.parametrize("given", ["d", "cc", "c or d", "condition d", "ac", "(c) and (d)", "condition"])
def test_another_letter_or_two_letters_are_incorrect(given: str) -> None:
    assert not judge((given,), None, Gold("c")).correct


@pytest.mark.parametrize("given", ["ABC234", "abc234", "Abc234."])
def test_a_code_matches_by_its_characters_ignoring_case(given: str) -> None:
    assert judge((given,), None, Gold("ABC234")).correct


@pytest.mark.parametrize("given", ["ABC235", "ABC 234", "ABC234..", "ABC234 or ABC235", "ABC-234"])
def test_other_characters_are_another_code(given: str) -> None:
    assert not judge((given,), None, Gold("ABC234")).correct


def test_a_blank_value_makes_the_answer_unparsable() -> None:
    verdict = judge(("", "ABC234"), STATE)
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")
