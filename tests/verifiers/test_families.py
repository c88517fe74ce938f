"""The choice, chart, table and MMMU verifiers beyond their own examples."""

from __future__ import annotations

import time

import pytest

from validation.verifiers import completions
from verifiers import denotations, mmmu_rules, registry
from verifiers.types import Evidence, Gold, UnparsableGold

registry.discover()

RIGHT = [
    ("choice-v2", "A", "[a]"),
    ("choice-v2", "5", "(5)"),
    ("choice-v2", "D", "d)"),
    ("relaxed-v1", "Abc", "abc"),
    ("relaxed-v1", "10", "10.5"),
    ("relaxed-v1", "-3", "-3.1"),
    ("relaxed-v1", "0", "0"),
    ("relaxed_strict-v1", "1216.6", "1200"),
    ("relaxed_strict-v1", "0.5", "0.51"),
    ("denotation-v1", "Sl\u00e1via", "slavia"),
    ("denotation-v1", "\u201cSong\u201d\u2020", '"Song"'),
    ("denotation-v1", "3.0000000001", "3"),
    ("denotation-v1", "a|b|a", "b|a"),
    ("numeric-v1", "25", "025"),
    ("numeric-v1", "025", "25"),
    ("numeric-v1", "142.0", "142"),
    ("mmmu-v1", "6", "x = 6.004"),
    ("mmmu_strict-v2", "6", "6.00"),
]
WRONG = [
    ("choice-v2", "1", "A"),
    ("choice-v2", "B", "(B"),
    ("choice-v2", "B", "B|C"),
    ("choice-v2", "B", "The answer is B. The answer is C."),
    ("choice-v2", "B", "\u0412"),  # a Cyrillic look-alike
    ("relaxed-v1", "100", "nan"),
    ("relaxed-v1", "100", "inf"),
    ("relaxed-v1", "2.5", "2.5 million"),
    ("relaxed-v1", "red", "not red"),
    ("relaxed_strict-v1", "1997", "1998"),
    ("relaxed_strict-v1", "99", "100"),
    ("denotation-v1", "2004", "2004 or 2005"),
    ("denotation-v1", "1000", "1_000"),
    ("denotation-v1", "a|b", "a|a"),
    ("denotation-v1", "1990-01-12", "1990-12-01"),
    ("numeric-v1", "25", "250"),
    ("numeric-v1", "142.0", "142.5"),
    ("mmmu-v1", "6", "16"),
    ("mmmu-v1", "60", "0.60"),
    ("mmmu_strict-v2", "north", "north or south"),
]


def is_correct(verifier_id: str, gold: Gold, answer: str | tuple[str, ...]) -> bool:
    return registry.run(verifier_id, gold=gold, evidence=Evidence(answer)).correct


@pytest.mark.parametrize(("verifier_id", "gold", "answer"), RIGHT)
def test_answers_that_the_rule_accepts_are_correct(verifier_id: str, gold: str, answer: str) -> None:
    assert is_correct(verifier_id, Gold(gold), answer)


@pytest.mark.parametrize(("verifier_id", "gold", "answer"), WRONG)
def test_answers_that_the_rule_rejects_are_incorrect(verifier_id: str, gold: str, answer: str) -> None:
    assert not is_correct(verifier_id, Gold(gold), answer)


def test_several_labels_earn_a_share_as_score_but_no_reward() -> None:
    verdict = registry.run("choice-v2", gold=Gold("A"), evidence=Evidence(("A", "B")))
    assert (verdict.correct, verdict.score) == (False, 0.5)
    verdict = registry.run("choice-v2", gold=Gold("C"), evidence=Evidence(("A", "B")))
    assert (verdict.correct, verdict.score) == (False, 0.0)


def test_a_gold_that_is_not_a_label_is_reported() -> None:
    with pytest.raises(UnparsableGold):
        is_correct("choice-v2", Gold("the second"), "B")


def test_a_cell_with_two_accepted_answers_accepts_both() -> None:
    gold = Gold("080", accepted=("081",))
    assert [is_correct("numeric-v1", gold, answer) for answer in ("80", "081", "82")] == [True, True, False]


def test_the_canonical_form_defines_what_a_gold_means() -> None:
    gold = Gold("17 years|12 May 1795", extra={"canonical": "17.0|1795-05-12"})
    assert is_correct("denotation-v1", gold, ("1795-05-12", "17"))
    assert not is_correct("denotation-v1", gold, ("1795-05-13", "17"))


def test_a_canonical_form_of_another_length_is_reported() -> None:
    with pytest.raises(UnparsableGold):
        is_correct("denotation-v1", Gold("a|b", extra={"canonical": "a"}), "a")


@pytest.mark.parametrize("items", [["a|b", "c\nd"], ["\\p", "\\"], ["", "x"]])
def test_a_cell_round_trips_as_its_items(items: list[str]) -> None:
    assert denotations.split_cell(denotations.join_cell(items)) == items


@pytest.mark.parametrize("item", ["[1]" * 66 + "x", "x" + " (a)" * 49 + "!", "x[" * 100, "[a] (b) " * 25])
def test_pathological_cells_are_normalised_quickly(item: str) -> None:
    started = time.process_time()
    denotations.normalise(item)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("(A) is wrong, (C) is right", "C"),
        ("I choose B because of A and", "A"),
        ("Answer: D", "D"),
        ("Answer: C or D.", "D"),
        ("It seems to be the colour that is called violet", "D"),
        ("violet", None),
        ("C. blue", "C"),
    ],
)
def test_mmmu_reads_a_letter_as_its_official_code(response: str, letter: str | None) -> None:
    assert mmmu_rules.find_letter(response, ["red", "green", "blue", "violet"]) == letter


def test_mmmu_open_golds_may_be_several() -> None:
    gold = Gold("24/7", accepted=("3.429",), extra={"question_type": "open"})
    assert is_correct("mmmu-v1", gold, "It is 3.43")
    assert not is_correct("mmmu-v1", gold, "It is 3.44")


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("The answer is C. BECAUSE: it is.", "C"),
        ("The answer is A. No. The answer is B.", ""),
        ("It must be B.", ""),
    ],
)
def test_scienceqa_takes_the_single_match_or_nothing(completion: str, answer: str) -> None:
    assert completions.candidates("scienceqa", Gold("C"), completion) == [Evidence(answer)]
