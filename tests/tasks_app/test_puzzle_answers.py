"""Puzzles of reasoning-gym whose own answers do not follow from the question."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tasks_app.benchmarks import _kinship, _puzzle_answers, _puzzle_rules

WOMEN = {"Ann", "Cleo", "Eva", "Fay", "Hana"}
STORY = (
    "Ann is married to Bob. They have children called Cleo and Dan. Dan is married to Eva. "
    "They have children called Fay and Gus. Gus is married to Hana."
)


@pytest.mark.parametrize(
    ("who", "whom", "relation"),
    [
        ("Ann", "Dan", "mother"),
        ("Bob", "Cleo", "father"),
        ("Cleo", "Ann", "daughter"),
        ("Dan", "Bob", "son"),
        ("Eva", "Dan", "wife"),
        ("Bob", "Ann", "husband"),
        ("Cleo", "Dan", "sister"),
        ("Gus", "Fay", "brother"),
        ("Ann", "Fay", "grandmother"),
        ("Bob", "Gus", "grandfather"),
        ("Cleo", "Gus", "aunt"),
        ("Fay", "Cleo", "niece"),
        ("Gus", "Cleo", "nephew"),
        ("Eva", "Bob", "daughter-in-law"),
        ("Eva", "Ann", "daughter-in-law"),
        ("Hana", "Dan", "daughter-in-law"),
        ("Hana", "Bob", ""),
        ("Hana", "Fay", ""),
    ],
)
@pytest.mark.parametrize(
    "question",
    [
        "What is {} to {}? Respond only with the word that describes their relationship.",
        "How is {} related to {}? Provide the relationship in one word.",
        "What relation is {} to {}? Answer with a single word.",
    ],
)
def test_relations_are_read_from_the_story(who: str, whom: str, relation: str, question: str) -> None:
    assert _kinship.answer(f"{STORY}\n\n{question.format(who, whom)}", women=WOMEN) == relation


def test_a_question_of_another_form_has_no_answer() -> None:
    assert _kinship.answer(f"{STORY}\n\nWho is Ann?", women=WOMEN) == ""


@pytest.mark.parametrize(
    ("story", "relation"),
    [
        ("Ann is married to Bob. They have a child called Sky.", ""),
        ("Ann is married to Bob. They have a child called Sky. Sky is married to Dan.", "daughter"),
        ("Ann is married to Bob. They have a child called Sky. Sky is married to Kai.", ""),
    ],
)
def test_a_name_of_both_sexes_needs_a_spouse_that_tells(story: str, relation: str) -> None:
    assert _kinship.answer(f"{story}\n\nWhat is Sky to Ann?", women={"Ann", "Sky"}) == relation


DECIMALS = (
    "Please solve this problem to a maximum of {} significant digits, rounding up from the half. "
    "Only reply with the final value.\n{} = ?"
)


@pytest.mark.parametrize(
    ("digits", "expression", "answer"),
    [
        (10, "7.123664*5.5499223*2.51", "99.23481205"),
        (4, "(1.00/3.00)*3.00", "1"),
        (3, "0.5+0.0005", "0.501"),
        (2, "-1.25*(3.0-2.0)", "-1.3"),
    ],
)
def test_decimals_are_rounded_once(digits: int, expression: str, answer: str) -> None:
    computed = _puzzle_answers.decimal_arithmetic(DECIMALS.format(digits, expression), "", None)
    assert Decimal(computed) == Decimal(answer)


@pytest.mark.parametrize(
    ("act", "left"),
    [
        ("Keep all numbers larger than 3", ["'481'", "'481.0'"]),
        ("Remove all numbers larger than 3", ["'-2'", "'3.0'"]),
        ("Remove all numbers smaller than 3", ["'481'", "'3.0'", "'481.0'"]),
    ],
)
def test_numbers_are_filtered_as_they_are_written(act: str, left: list[str]) -> None:
    question = f"{act} in this list: ['481', '-2', '3.0', '481.0']\nReturn the new list in the same format."
    assert _puzzle_answers.number_filtering(question, "", None) == f"[{', '.join(left)}]"


@pytest.mark.parametrize(
    ("hand", "last", "result"),
    [
        ("AABQRXYZGKNLT", "A", "Peng"),
        ("AABCRXQZGKNLT", "A", "Peng"),
        ("ABBDRXYZGKNLT", "C", "Chi"),
        ("ABQDRXYZGKNLT", "E", "Pass"),
        ("WAQDRBYJGKNLT", "Z", "Pass"),
    ],
)
def test_the_last_card_of_mahjong_is_judged_by_the_rules(hand: str, last: str, result: str) -> None:
    rounds = f"Round 1: Add an {last} card and remove a {hand[-1]} card."
    earlier = f"Round 1: Add a {hand[-1]} card and remove a {hand[-1]} card."
    for story in (rounds, f"{earlier}\n{rounds}"):
        question = f"given the initial cards {hand}, what?\n{story}"
        assert _puzzle_answers.mahjong_puzzle(question, "", None) == result


@pytest.mark.parametrize(
    ("question", "is_sound"),
    [
        ("from Friday, October 21, 2022 to Saturday, February 11, 2022", False),
        ("from Friday, October 21, 2022 to Saturday, February 11, 2023", True),
        ("from Friday, October 21 to Saturday, February 11, 2022", False),
        ("If the first day of the year was a Monday, what day will December 31 be?", True),
    ],
)
def test_a_date_on_another_weekday_is_left_out(question: str, is_sound: bool) -> None:
    answer = _puzzle_answers.correct_answer("calendar_arithmetic", question, "81", None)
    assert answer == ("81" if is_sound else "")


def test_an_emoji_whose_hint_finds_another_text_is_left_out() -> None:
    hidden = "".join(chr(0xE0100 + ord(char) - 16) for char in "Hi.")
    for emoji, answer in (("\U0001f600", "Hi."), ("\u2764\ufe0f", "")):
        question = f"Decode the following sentence from the emoji: {emoji}{hidden}\n\nHere is a hint:"
        assert _puzzle_answers.correct_answer("emoji_mystery", question, "Hi.", None) == answer


@pytest.mark.parametrize(
    ("premises", "conclusion", "answer"),
    [
        (("All bees are ants", "All ants are cats"), "All bees are cats", "Yes"),
        (("All bees are ants", "Some ants are not cats"), "Some bees are not cats", "No"),
        (("All bees are ants", "All ants are cats"), "Some bees are cats", ""),
        (("No bees are ants", "Some cats are bees"), "Some cats are not ants", "Yes"),
        (("Some bees are ants", "Some ants are cats"), "Some cats are ants", "Yes"),
        (("Some bees are ants", "Some ants are cats"), "Some bees are cats", "No"),
    ],
)
def test_a_syllogism_is_decided_in_every_world(
    premises: tuple[str, str], conclusion: str, answer: str
) -> None:
    numbered = "".join(f"{number}. {text}\n" for number, text in enumerate(premises, start=1))
    question = f"Consider these statements:\n{numbered}\nDoes it logically follow that:\n{conclusion}?"
    assert _puzzle_answers.syllogism(question, "", None) == answer


@pytest.mark.parametrize(
    ("first", "last", "given", "right"),
    [
        ("09:49:46.812", "23:54:59.870", "14:05:13.057", "14:05:13.058"),
        ("20:35:16.556", "21:38:59.702", "01:03:43.146", "01:03:43.146"),
        ("10:00:00.900", "10:00:02.000", "00:00:01.099", "00:00:01.100"),
        ("10:00:00.001", "10:01:00.001", "00:00:59.999", ""),
        ("16:34", "20:40", "04:06", "04:06"),
    ],
)
def test_no_thousandth_of_a_second_is_lost(first: str, last: str, given: str, right: str) -> None:
    question = f"A flight departed at {first} and arrived at {last}. How long was the flight?"
    assert _puzzle_answers.time_intervals(question, given, None) == right


MOST = "Playing as Black, how can you capture as many white stones as possible?"
ANY = "Black moves next - can you capture some of the white stones?"
TWO_CAPTURES = """
   A B C D
 4 . O X .
 3 . X . .
 2 X . X O
 1 O O X .
"""
ONE_CAPTURE = """
   A B C
 3 . X .
 2 X O .
 1 . X .
"""


@pytest.mark.parametrize(
    ("ask", "board", "move", "is_sound"),
    [
        (ANY, ONE_CAPTURE, "C2", True),
        (ANY, ONE_CAPTURE, "C1", False),
        (ANY, TWO_CAPTURES, "B2", False),
        (MOST, TWO_CAPTURES, "B2", True),
        (MOST, TWO_CAPTURES, "A4", False),
    ],
)
def test_a_capture_is_the_only_one_that_answers(ask: str, board: str, move: str, is_sound: bool) -> None:
    question = f"{ask}\n\n```{board}```\n\nSpecify your move in coordinates"
    assert _puzzle_answers.is_tsumego_sound(question, move) is is_sound


def test_an_even_number_of_characters_has_no_middle() -> None:
    rule = "1. If the string length is greater than 15, remove the {} character."
    sound = {
        place: bool(_puzzle_answers.correct_answer("string_manipulation", rule.format(place), "ab", None))
        for place in ("first", "middle")
    }
    assert sound == {"first": True, "middle": False}


@pytest.mark.parametrize(
    ("size", "numbers", "answer"),
    [
        ("largest", "1.231705000000000e+04 12,317.051 12301.208000", "12317.051"),
        ("smallest", "90,885,639.205 90885629.827000", "90885629.827"),
        ("smallest", "2,000 1.900000000000000e+03", "1900"),
    ],
)
def test_a_number_is_given_as_it_is_shown(size: str, numbers: str, answer: str) -> None:
    question = f"Now, pick the {size} number of the following candidates: {numbers}"
    assert _puzzle_answers.number_format(question, "", None) == answer


LOCK = (
    "Start: 0 (red)\nTarget: {}\nButtons:\n"
    "A: Add 3 (when any)\nB: Multiply 2 (when green)\nC: Subtract 1 (when red)"
)


@pytest.mark.parametrize(
    ("target", "answer", "is_sound"),
    [(6, "A → B", True), (12, "A → A → A → A", False), (9, "A → A → A", True), (5, "A → B → C", True)],
)
def test_a_lock_that_opens_as_fast_by_a_dead_button_is_left_out(
    target: int, answer: str, is_sound: bool
) -> None:
    assert _puzzle_answers.is_lock_sound(LOCK.format(target), answer) is is_sound


@pytest.mark.parametrize(
    ("terms", "answer", "is_settled"),
    [
        ("1, 2, 4, 8, 16", "32", True),
        ("3, 5, 7, 9", "11", True),
        ("3, 5, 7, 9", "12", False),
        ("2, 1, 2, 2, 3", "3", False),
        ("7, 1, -4, 90, 12", "5", False),
    ],
)
def test_a_sequence_is_settled_by_its_simplest_rules(terms: str, answer: str, is_settled: bool) -> None:
    assert _puzzle_rules.is_sequence_settled(f"{terms}, ?", answer) is is_settled


@pytest.mark.parametrize(("test", "is_settled"), [("[1, 20]", True), ("[21, 47]", False), ("[3, 1]", True)])
def test_a_list_is_settled_where_both_rules_agree(test: str, is_settled: bool) -> None:
    examples = "Input 1: [1, 10]\nOutput 1: [1]\nInput 2: [3, 2]\nOutput 2: [0]"
    question = f"Examples:\n{examples}\n\n\nInput: {test}\nOutput:"
    answer = "[0]" if test == "[3, 1]" else "[1]"
    assert _puzzle_rules.is_list_settled(question, answer) is is_settled


@pytest.mark.parametrize(
    ("given", "result", "test", "answer", "is_settled"),
    [
        ("0 5 5 0", "5 5 0 0", "0 0 6 6", "0 6 6 0", False),
        ("0 0 5 5", "0 5 5 0", "0 6 6 0", "6 6 0 0", True),
        ("0 0 5 5", "0 5 5 0", "0 6 0 6", "6 0 6 0", True),
        ("0 0 5 5", "0 5 5 0", "6 0 6 0", "0 6 0 6", False),
        ("0 3 0 3", "0 5 0 5", "1 0 1 0", "5 0 5 0", True),
        ("1 2 0 0", "1 2 0 0", "0 1 0 2", "1 2 0 0", False),
    ],
)
def test_a_row_is_settled_unless_it_may_have_moved_otherwise(
    given: str, result: str, test: str, answer: str, is_settled: bool
) -> None:
    question = f"Example 1:\nInput:  {given}\nOutput: {result}\n\nBelow is a test.\n\nInput:\n{test}"
    assert _puzzle_rules.is_row_settled(question, answer) is is_settled
