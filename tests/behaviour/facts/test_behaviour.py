from __future__ import annotations

import time
from typing import Any

import pytest

from trajectories.behaviour.facts import behaviour
from trajectories.behaviour.facts.behaviour import (
    Turn,
    formula_count,
    number_count,
    restated_share,
    says_check,
    word_count,
)
from trajectories.behaviour.facts.measures import turns_measure

PAGE = """page "Problem" https://gym/
text: How many trains leave the old station before noon on Sunday?
[e2] textbox "Your answer" value=""
[e3] button "Submit"
"""
CLICK = {"type": "click", "target": "e3"}


def turn(index: int, **fields: Any) -> Turn:
    return Turn(index=index, **{"observation": PAGE, "url": "https://gym/", **fields})


@pytest.mark.parametrize(
    ("thought", "numbers"),
    [
        ("It costs 1,234.50 in all, 3 more than -7.", 3),
        ("e12 is a button, v2 of x3", 0),
        (r"\frac{10}{11} is left", 2),
        ("", 0),
    ],
)
def test_each_number_is_counted_once_and_ids_are_not_numbers(thought: str, numbers: int) -> None:
    assert number_count(thought) == numbers


@pytest.mark.parametrize(
    ("thought", "formulas"),
    [
        (r"So $\frac{10}{11}$ and \(x^2\).", 2),
        ("The tickets cost $5 and $6 for two.", 0),
        ("1/(k(k+1)) = 1/k - 1/(k+1). It telescopes.", 1),
        ("First 2 + 2 = 4, then 4 * 5 = 20.", 2),
        ("Yes and/or no, step-by-step, n/a.", 0),
        ("I see an input field and I will type the answer.", 0),
    ],
)
def test_prices_and_slashes_are_not_formulas(thought: str, formulas: int) -> None:
    assert formula_count(thought) == formulas


def test_words_are_runs_of_letters_and_length_ignores_surrounding_space() -> None:
    (step,) = turns_measure([turn(1, thought="  So x = 42, it's done.\n")], submitted_in=None)
    assert (step["thought_chars"], step["thought_words"]) == (21, 5)


def test_a_thought_that_copies_the_page_restates_it_fully() -> None:
    thought = "How many trains leave the old station before noon on Sunday?"
    assert restated_share(thought, observation=PAGE, action=None) == 1.0


def test_a_thought_that_narrates_its_click_restates_it() -> None:
    share = restated_share("I will click the Submit button now.", observation=PAGE, action=CLICK)
    assert share == 1.0


def test_a_thought_that_reasons_restates_little() -> None:
    thought = "Each term splits, so everything between first and last piece cancels."
    assert restated_share(thought, observation=PAGE, action=CLICK) == 0.0


def test_the_restated_share_counts_words_in_shared_pairs() -> None:
    # Content words: old station eleven minus four seven; the first two are a pair of the page.
    share = restated_share("Old station: eleven minus four: seven", observation=PAGE, action=None)
    assert share == pytest.approx(2 / 6)


@pytest.mark.parametrize("thought", ["", "Submit", "the a of"])
def test_very_short_thoughts_restate_nothing(thought: str) -> None:
    assert restated_share(thought, observation=PAGE, action=CLICK) == 0.0


@pytest.mark.parametrize(
    ("thought", "is_check"),
    [
        ("Let me check it with a small case.", True),
        ("Double-checking: 3 * 4 = 12.", True),
        ("I verify that the roots fit.", True),
        ("Plugging x = 3 back in gives 0.", True),
        ("I look for the check-in date and the checkbox.", False),
        ("Proceed to checkout.", False),
        ("I type the answer.", False),
    ],
)
def test_checking_in_is_not_a_check(thought: str, is_check: bool) -> None:
    assert says_check(thought) is is_check


def test_checks_count_up_to_the_step_that_sent_the_answer() -> None:
    turns = [turn(number, thought="Let me verify this.") for number in (1, 2, 3)]
    assert [one["checks_before_submit"] for one in turns_measure(turns, submitted_in=2)] == [
        True,
        True,
        False,
    ]


def test_without_an_answer_checks_of_every_step_count() -> None:
    thoughts = ["Let me verify this.", "So it is.", "I check."]
    turns = [turn(number, thought=thought) for number, thought in enumerate(thoughts, start=1)]
    assert [one["checks_before_submit"] for one in turns_measure(turns, submitted_in=None)] == [
        True,
        False,
        True,
    ]


def test_the_same_action_in_the_same_place_repeats_the_first_such_step() -> None:
    turns = [
        turn(1, action=CLICK),
        turn(2, action={"type": "wait"}),
        turn(4, action=CLICK),
        turn(5, action=CLICK),
    ]
    assert [one["repeats"] for one in turns_measure(turns, submitted_in=None)] == [None, None, 1, 1]


def test_element_ids_do_not_change_a_place() -> None:
    other = PAGE.replace("[e2]", "[e8]").replace("[e3]", "[e9]")
    first, second = turns_measure([turn(1), turn(2, observation=other)], submitted_in=None)
    assert first["place"] == second["place"]
    assert len(first["place"]) == 16


def test_without_text_the_picture_is_the_place_and_without_either_nothing_repeats() -> None:
    pictures = [turn(number, observation="", picture="f0f0", action=CLICK) for number in (1, 2)]
    assert [one["repeats"] for one in turns_measure(pictures, submitted_in=None)] == [None, 1]
    nothing = [turn(number, observation="", action=CLICK) for number in (1, 2)]
    assert [(one["place"], one["repeats"]) for one in turns_measure(nothing, submitted_in=None)] == [
        ("", None)
    ] * 2


def test_a_backtrack_is_counted_once_by_action_or_return() -> None:
    pages = ["a", "b", "a", "b", "c", "b"]
    actions = ["click", "click", "click", "click", "back", "wait"]
    turns = [
        turn(number, url=f"https://gym/{page}", action={"type": kind})
        for number, (page, kind) in enumerate(zip(pages, actions, strict=True), start=1)
    ]
    steps = turns_measure(turns, submitted_in=None)
    assert [one["is_page_change"] for one in steps] == [False, True, True, True, True, True]
    # Steps 3 and 4 return to a page; step 5 goes back, and step 6 is where that led.
    assert [one["is_backtrack"] for one in steps] == [False, False, True, True, True, False]


def test_hostile_text_does_not_stall_the_measures() -> None:
    hostile = ["(" * 50_000, "$" * 50_000, "1+" * 50_000, "a=" * 50_000, r"\(" * 50_000, "check" * 20_000]
    begun = time.process_time()
    for text in hostile:
        turns_measure(
            [turn(1, thought=text, observation=text, action={"type": "type", "text": text})], submitted_in=1
        )
    # Not a measurement: what backtracks takes hours for these.
    assert time.process_time() - begun < 60


def test_only_the_beginning_of_a_very_long_thought_is_measured() -> None:
    (step,) = turns_measure([turn(1, thought="word " * 30_000)], submitted_in=None)
    assert step["thought_chars"] == 149_999
    assert step["thought_words"] == word_count("word " * 30_000) == behaviour.MEASURED_CHARS // 5


def test_word_pairs_match_across_lines() -> None:
    page = "[e1] heading cheapest\n" + "filler " * 60 + "room\nbreakfast included"
    assert restated_share("cheapest filler", observation=page, action=None) == 1.0
    assert restated_share("room breakfast", observation=page, action=None) == 1.0
    assert restated_share("cheapest breakfast", observation=page, action=None) == 0.0
