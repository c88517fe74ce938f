"""A label is read in the forms that published scorers read, and nothing that could mean another choice."""

from __future__ import annotations

import pytest

from verifiers import registry
from verifiers.choice_labels import find_choice
from verifiers.types import Evidence, Gold

registry.discover()
TEXTS = {"A": "9", "B": "10", "C": "12", "D": "A dog.", "E": "$5", "F": "C"}
NUMERALS = {"1": "up", "2": "down", "3": "1.5"}

ALONE = [
    "C",
    "c",
    "(C)",
    "[C]",
    "C.",
    "C)",
    "(c).",
    "**C**",
    "_C_",
    "`C`",
    '"C"',
    "$C$",
    r"\(C\)",
    r"\[ C \]",
    r"\boxed{C}",
    r"$\boxed{\text{C}}$",
    r"\text{C}",
    r"\textbf{(C)}",
    r"\mathrm{C}",
    "Option C",
    "Choice (C)",
    "**Answer:** C",
    "The answer is C",
    "The correct answer is C.",
    "The correct answer is: **C**",
    "So the correct option is (C).",
    r"Therefore, the final answer is $\boxed{C}$.",
    "The best answer is option C",
    "Option C is correct.",
    "(C) is the correct answer.",
    "\uff23",
    "\uff08C\uff09",
    "C\u3002",
    "\u24b8",
    "\u300cC\u300d",
    "# C",
    "<b>C</b>",
    "<answer>(C)</answer>",
    "answer=C",
    "Answer:C",
    "Thus (C).",
    "I'd choose C",
    "We select option C.",
    "The best choice would be (C).",
    "Correct: C",
    "The final answer is (C). I hope it is correct.",
    "Die Antwort ist (C).",
    "La respuesta es C",
    "Risposta: C",
    "\u7b54\u6848\u662f\uff08C\uff09\u3002",
    "\u7b54\u6848\u662fC",
    "\uc815\ub2f5: C",
    "\u041e\u0442\u0432\u0435\u0442: C",
]
WITH_TEXT = [
    "C. 12",
    "C) 12",
    "(C) 12",
    "C: 12",
    "C - 12",
    "C.12",
    "**C.** 12",
    "**C. 12**",
    "**C**: 12",
    r"\boxed{C. 12}",
    r"\boxed{C}: $12$",
    r"\text{C. }12",
    "12 (C)",
    "Option C: 12",
    "The correct answer is (C) 12.",
    "C.\n12",
    "\uff23\uff0e12",
    "C => 12",
    "C \u2192 12",
]
TEXT_WITHOUT_MARK = ["12 - C", "12: C", "12, C", "C 12", "C (12)", "The answer is C 12"]
OTHER_TEXT = ["C. 10", "C) a dog", "(C) 9", "C: 10", "C 10", "10 (C)", "C. 12 apples", "**C.** 10"]
NONE_NAMED = [
    "C or D",
    "A, C",
    "A and C",
    "C/D",
    "(C) or (D)",
    "Either C or D",
    "neither C",
    "not C",
    "Not option C",
    "The answer is not C",
    "C is not correct",
    "C isn't right",
    "C, not D",
    "C. not 12",
    "maybe C",
    "C?",
    "I think C",
    "CD",
    "C|D",
    "(C",
    "C. 12 or D",
    "C. 12, D. a dog",
    "C. 12 D. a dog",
    "C. 12 (D)",
    "C. D",
    "C and D are correct",
    "The answer is C. The answer is D.",
    "a dog",
    "\u0421",  # a Cyrillic look-alike
    "e.g. 12",
    "C - B",
    "12 - B",
    "C, F",
    "I would not choose C",
    "I choose C or D",
    "Correct: not C",
    "Die Antwort ist nicht C",
    "La respuesta no es C",
    "\u7b54\u6848\u4e0d\u662fC",
    "\u4e0d\u9009C",
    "\u6392\u9664C",
    "\u7b54\u6848\u662fC\u6216D",
    "\u24b8\u24b9",
    "<b>C</b><b>D</b>",
    "select none: C and D",
    "",
]


@pytest.mark.parametrize("answer", ALONE)
def test_a_label_is_read_in_the_forms_of_published_scorers(answer: str) -> None:
    assert find_choice(answer, TEXTS) == find_choice(answer, {}) == "C"


@pytest.mark.parametrize("answer", WITH_TEXT)
def test_a_label_with_the_text_of_its_choice_is_that_choice(answer: str) -> None:
    assert find_choice(answer, TEXTS) == find_choice(answer, {}) == "C"


@pytest.mark.parametrize("answer", TEXT_WITHOUT_MARK)
def test_without_a_mark_the_texts_must_be_known(answer: str) -> None:
    assert (find_choice(answer, TEXTS), find_choice(answer, {})) == ("C", None)


@pytest.mark.parametrize("answer", OTHER_TEXT)
def test_a_label_with_the_text_of_another_choice_is_none(answer: str) -> None:
    assert find_choice(answer, TEXTS) is None


@pytest.mark.parametrize("answer", NONE_NAMED)
def test_two_labels_hedges_and_denials_name_no_choice(answer: str) -> None:
    assert find_choice(answer, TEXTS) is None
    assert find_choice(answer, {}) is None


def test_a_text_that_looks_like_a_label_decides_nothing() -> None:
    assert find_choice("F. C", TEXTS) == "F"
    assert find_choice("F C", {}) is None
    assert find_choice("D. A dog", TEXTS) == find_choice("d) a dog", TEXTS) == "D"
    assert find_choice("A dog", TEXTS) is None, "the text of D, which begins with a label"
    assert find_choice("E. $5", TEXTS) == "E"
    formulas = {"A": r"$- \cos \frac{1}{2}$", "B": r"$\cos \frac{1}{2}$"}
    assert find_choice(r"A. $-cos\dfrac{1}{2}$", formulas) == "A"
    assert find_choice(r"A. $cos\frac{1}{2}$", formulas) is None
    assert find_choice("C. 12", {**TEXTS, "B": "C. 12"}) is None, "B says so word for word"


def test_numerals_are_labels_and_decimals_are_not() -> None:
    assert [find_choice(text, NUMERALS) for text in ("2", "(2)", "2. down", "Option 2: down")] == ["2"] * 4
    assert [find_choice(text, NUMERALS) for text in ("1.5", "3.14159", "2. up", "1 or 2")] == [None] * 4
    assert find_choice("3.14159", {}) is None


def test_a_long_text_of_a_choice_may_follow_its_label() -> None:
    texts = {"A": "x " * 300, "B": "y"}
    assert find_choice(f"A. {texts['A']}", texts) == "A"
    assert find_choice("A. " + "z" * 900, {}) is None


@pytest.mark.parametrize("verifier_id", ["choice-v2", "mmmu_strict-v2"])
def test_verifiers_know_the_texts_of_the_choices(verifier_id: str) -> None:
    for extra in ({"choices": {"B": "10", "C": "12"}}, {"options": ["9", "10", "12"]}):
        gold = Gold("C", extra={**extra, "question_type": "multiple-choice"})
        answers = ("C. 12", r"\boxed{C}", "C. 10", "B. 10", "12")
        verdicts = [registry.run(verifier_id, gold=gold, evidence=Evidence(answer)) for answer in answers]
        assert [verdict.correct for verdict in verdicts] == [True, True, False, False, False]
        assert verdicts[2].reason == "unparsable_answer"
