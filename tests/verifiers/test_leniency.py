"""Answers that look right to a lenient reader and are not, and answers that cost more than they should."""

from __future__ import annotations

import pytest

from verifiers import registry
from verifiers.children import ChildPool
from verifiers.types import Evidence, Gold

registry.discover()

FALSE_POSITIVES = [
    ("numeric-v1", "12", "\\boxed{12} or 15"),
    ("numeric-v1", "12", "not \\boxed{12}"),
    ("numeric-v1", "12", "-\\boxed{12}"),
    ("numeric-v1", "12", "\\boxed{12} million"),
    ("numeric-v1", "12", "12 hundredths"),
    ("numeric-v1", "12", "12 billions"),
    ("numeric-v1", "12", "below 12"),
    ("numeric-v1", "12", "a12"),
    ("math-v1", "12", "\\boxed{12} or 15"),
    ("math-v1", "12", "15 \\boxed{12}"),
    ("math-v1", "12", "\\boxed{15}, not \\boxed{12}"),
    ("math-v1", "12", "-\\boxed{12}"),
    ("math-v1", "12", "\\boxed{12}^2"),
    ("math-v1", "12", "12 <|im_end|> 15"),
    ("math-v1", "12", "12<|13"),
    ("math-v1", "3", "$x != 3$"),
    ("math-v1", "k = 1", "$f(x) = 1$"),
    ("math-v1", "12", "12 fifteen"),
    ("math-v1", "12", "12 \\text{ fifteen}"),
    ("math-v1", "12", "12 versus fifteen"),
    ("math-v1", "12", "12 tenths"),
    ("math-v1", "12", "12 millions"),
    ("math-v1", "12", "12 \\approx 12.3"),
    ("math-v1", "(1,2)", "y=1, x=2"),
    ("math-v1", "40\\text{ feet}", "40 square feet"),
    ("math-v1", "5\\text{ cm}^2", "5 cm"),
    ("math-v1", "5\\text{ cm}^2", "5 cm^3"),
    ("math-v1", "\\$30", "30 cents"),
    ("math-v1", "\\$30", "30 euros"),
    ("math-v1", "30\\text{ cents}", "\\$30"),
    ("math-v1", "10001_2", "10001\\%"),
    # Zero wherever polynomials were compared while all points were fixed.
    ("math-v1", "x", "x+(x-17/7)(x-5/13)(x-131/37)(x+5/13)"),
    ("math-v1", "a+b+c+d", "a+b+c+|d|"),
]
STILL_RIGHT = [
    ("numeric-v1", "12", "3*4 = \\boxed{12}"),
    ("numeric-v1", "12", "\\boxed{12} cm^2"),
    ("numeric-v1", "12", "12 more apples"),
    ("numeric-v1", "12", "US$12"),
    ("math-v1", "12", "$\\boxed{12}$."),
    ("math-v1", "12", "12<|im_end|>"),
    ("math-v1", "1, 2", "\\boxed{1} or \\boxed{2}"),
    ("math-v1", "\\sqrt{2}", "\\sqrt{2} \\approx 1.41"),
    ("math-v1", "-\\frac{2}{3}", "-2/3 \\approx -0.67"),
    ("math-v1", "(1,2)", "y=2, x=1"),
    ("math-v1", "(2,3)", "m=2, b=3"),
    ("math-v1", "5\\text{ cm}^2", "5 square centimeters"),
    ("math-v1", "5\\text{ cm}^2", "5"),
    ("math-v1", "40\\text{ cubic feet}", "40 ft^3"),
    ("math-v1", "40\\text{ miles per hour}", "40 miles/hour"),
    ("math-v1", "\\$30", "30 dollars"),
]
SLOW = ["12 " + "a" * 28 + "!", "12 " + "a" * 100 + "+", "12 " + "ab/cd. " * 25 + "="]


@pytest.mark.parametrize(("verifier", "gold", "answer"), FALSE_POSITIVES)
def test_answers_that_only_look_right_are_incorrect(verifier: str, gold: str, answer: str) -> None:
    assert not registry.run(verifier, gold=Gold(gold), evidence=Evidence(answer)).correct


@pytest.mark.parametrize(("verifier", "gold", "answer"), STILL_RIGHT)
def test_lenient_spellings_of_the_right_answer_are_correct(verifier: str, gold: str, answer: str) -> None:
    assert registry.run(verifier, gold=Gold(gold), evidence=Evidence(answer)).correct


def test_words_after_a_number_are_not_tried_in_every_cut() -> None:
    pool = ChildPool(1)
    try:
        for answer in SLOW:  # a hang raises VerifierTimeout
            assert not pool.verify("math-v1", gold=Gold("12"), evidence=Evidence(answer)).correct
    finally:
        pool.close()


@pytest.mark.parametrize("answer", ["\u2460\u2461", "\u2074", "x^\u2074"])
def test_digits_that_are_not_numbers_are_incorrect_and_do_not_crash(answer: str) -> None:
    assert not registry.run("math-v1", gold=Gold("12"), evidence=Evidence(answer)).correct
