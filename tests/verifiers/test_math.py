"""math-v1 and math_strict-v1 beyond their own examples: notations, near misses, attacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifiers import registry
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

registry.discover()

MARK = Path("/tmp/palaestra_answer_was_run")
EQUAL = [
    ("\\frac12", "\\frac{1}{2}"),
    ("\\frac{1}{2}", "\\tfrac 1 2"),
    ("0.5", ".5"),
    ("12.50", "12,50"),
    ("1000000", "1,000,000"),
    ("1000000", "10^6"),
    ("10,\\!080", "10080"),
    ("2\\frac{1}{3}", "7/3"),
    ("2 1/3", "\\frac73"),
    ("0.\\overline{3}", "1/3"),
    ("\\frac{\\sqrt{3}}{3} ", "\\frac{1}{\\sqrt{3}} \\approx 0.577"),
    ("\\frac{1}{3}", "0.333333"),
    ("\\sqrt{51}", "\u221a51"),
    ("i \\sqrt{2}", "\\sqrt{2}i"),
    ("\\log\\left(\\frac{2007}{2006}\\right)", "\\log 2007 - \\log 2006"),
    ("x^6-5832", "x**6 - 5832"),
    ("\\cos^2\\alpha", "\\cos(\\alpha)^2"),
    ("x^2+2x+1", "y = x^2 + 2x + 1"),
    ("x=5", "5 = x"),
    ("2x+4y-3=0", "y=-\\frac{1}{2}x+\\frac{3}{4}"),
    ("\\rho\\sin\\theta = \\sqrt{3}", "\\sqrt{3} \\csc \\theta"),
    ("x \\leq 5", "5 \\geq x"),
    ("f(2) < f(1) < f(4)", "f(4) > f(1) > f(2)"),
    ("AB=9, CD=4", "9, 4"),
    ("AB=9, CD=4", "CD = 4, AB = 9"),
    ("10^{3},10", "x=1000, y=10"),
    ("\\{1\\pm\\sqrt{5},-2\\}", "-2, 1+\\sqrt5, 1-\\sqrt5"),
    ("2, 3, \\text{ and } 4", "{4, 3, 2}"),
    ("(10^{4}, 10),(1, 2)", "(x, y) = (10000, 10) \\text{ or } (1, 2)"),
    ("(0;0),(4;-2)", "(4, -2), (0, 0)"),
    ("\\left( 3, \\frac{\\pi}{2} \\right)", "(3, pi/2)"),
    ("(3,4]", "3 < \\lambda \\leq 4"),
    ("(5,\\infty)", "x > 5"),
    ("\\{x|-1 < x < 1\\}", "(-1, 1)"),
    ("(0, 3] \\cup [\\tfrac72, \\infty)", "[3.5, \u221e) \u222a (0, 3]"),
    ("(-\\infty,\\infty)", "all real numbers"),
    ("\\begin{pmatrix} 6 & 0 \\\\ 0 & 6 \\end{pmatrix}", "[[6, 0], [0, 6]]"),
    ("\\begin{pmatrix} 4/5 \\\\ 3/5 \\end{pmatrix}", "\\begin{bmatrix}0.8\\\\0.6\\end{bmatrix}"),
    ("15\\mbox{ cm}^2", "15 square centimeters"),
    ("114\\text{ square units}", "114"),
    ("\\dfrac{3\\pi}{4}", "135\u00b0"),
    ("11:21", "V_1:V_2 = 11:21"),
    ("12:00", "12:00"),
    ("\\{1\\} \\cup \\{2\\}", "1, 2"),
    ("x \\ne 3", "(-\\infty, 3) \\cup (3, \\infty)"),
    ("\\binom{n}{2}", "\\frac{n(n-1)}{2}"),
    ("50", "50 km/h"),
    ("\\text{line segment, circle}", "line segment and circle"),
    ("\\text{(C)}", "(c)"),
    ("10001_2", "10001"),
    ("\\sum_{k=0}^{n} a_k b_k", "\\sum_{k=0}^{n} b_k a_k"),
    ("5", "\\boxed{5} \\text{ so } \\boxed{5}"),
]
UNEQUAL = [
    ("12", "12 15"),
    ("12", "1 2"),
    ("12", "12, 12"),
    ("12", "\\boxed{12} wait, \\boxed{15}"),
    ("12", "12 = 15"),
    ("12", "12 \\approx 15"),
    ("12", "12\\text{ or }15"),
    ("12", "12 dozen"),
    ("12", "12 thousand"),
    ("12", "12!"),
    ("12", "x \\ge 12"),
    ("12", "12x/x"),
    ("12", "12_3"),
    ("12", "\\phantom{15}12"),
    ("12", "\\text{not }12"),
    ("The answer is 12", "I think it is between 10 and 14, maybe 12"),
    ("0.33", "1/3"),
    ("0.334", "1/3"),
    ("\\frac{1}{3}", "0.333334"),
    ("10^{-40}", "2\\cdot 10^{-40}"),
    ("3:4", "4:3"),
    ("(1,2)", "[1,2]"),
    ("(1,2)", "\\{1,2\\}"),
    ("1,2", "(1,2)"),
    ("1,2", "1,2,2"),
    ("1,2", "1"),
    ("-2,1", "-2.1"),
    ("x=5", "y=5"),
    ("x=1, y=2", "2, 1"),
    ("y=2x", "x=2y"),
    ("a+3z=0", "0"),
    ("x^2 = 4 + z", "2"),
    ("x > 5", "x < 5"),
    ("(3,4]", "3 \\le x \\le 4"),
    ("\\sqrt{x^2}", "x"),
    ("b", "B"),
    ("\\text{(B)}", "A or B"),
    ("\\text{odd}", "oddd"),
    ("\\text{odd}", "not odd"),
    ("E", "\\mathrm{E}*2"),
    ("2516_8", "2516_9"),
    ("15\\mbox{ cm}^2", "15 inches"),
    ("10\\%", "1000\\%"),
    ("30^\\circ", "\\frac{\\pi}{3}"),
    ("\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}", "\\begin{pmatrix} 1 & 3 \\\\ 2 & 4 \\end{pmatrix}"),
    ("\\infty", "-\\infty"),
]
ATTACKS = [
    f"__import__('os').system('touch {MARK}')",
    "oracle_answer",
    "9**9**9",
    "9^{9^{9^{9}}}",
    "2^{10^{7}}",
    "1e999999999",
    "999999999!",
    "\\binom{10^9}{5\\cdot 10^8}",
    "\\prod_{k=1}^{1000000} k",
    "\\sum_{k=1}^{10^{9}} k",
    "x^{x^{x^{x}}}",
    "\\gcd(10^{300},7)",
    "\\frac{1}{0}",
    "0^0",
    "nan",
    "(" * 199,
    "{" * 199,
    "[" * 100 + "]" * 99,
    "|" * 199,
    "-" * 199,
    "\\pm1" * 40,
    "\\frac{" * 30,
    "\\sqrt[" * 30,
    "\\boxed{" * 25,
    "\\text{" * 30,
    "\\begin{pmatrix}" * 12,
    "=".join("1" * 90),
    "1" * 200,
    "${7*7}",
    "{{7*7}}",
    "<script>alert(12)</script>",
    "eval(12)",
    "a, " * 60,
    "k " * 100,
    "where k is " * 18,
    "x < 1 or " * 20,
    "]1,2[" * 40,
    "1 (Ann), " * 22,
    "\\{k | k \\in \\mathbb{Z}\\}" * 7,
    "\u0661\u0662",
    "1\u20612",
]


def judge(verifier_id: str, gold: str, answer: str) -> Verdict:
    return registry.run(verifier_id, gold=Gold(gold), evidence=Evidence(answer))


@pytest.mark.parametrize(("gold", "answer"), EQUAL)
def test_equivalent_answers_are_correct(gold: str, answer: str) -> None:
    assert judge("math-v1", gold, answer).correct


@pytest.mark.parametrize(("gold", "answer"), UNEQUAL)
@pytest.mark.parametrize("verifier_id", ["math-v1", "math_strict-v1"])
def test_other_answers_are_incorrect(verifier_id: str, gold: str, answer: str) -> None:
    assert not judge(verifier_id, gold, answer).correct


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
@pytest.mark.parametrize("verifier_id", ["numeric-v1", "math-v1", "math_strict-v1"])
def test_attacks_are_parsed_and_incorrect(verifier_id: str, attack: str) -> None:
    assert not judge(verifier_id, "12", attack).correct
    assert not MARK.exists()


@pytest.mark.parametrize("gold", ["", "  ", "\\boxed{}", "\\boxed{1} but \\boxed{2}", "12\x00"])
def test_a_gold_without_an_answer_is_reported(gold: str) -> None:
    with pytest.raises(UnparsableGold):
        judge("math-v1", gold, "12")


def test_a_verdict_explains_what_was_compared() -> None:
    verdict = judge("math-v1", "\\frac{1}{2}", "50\\%")
    assert (verdict.correct, verdict.parsed_gold, verdict.parsed_answer) == (True, "1/2", "50%")


def test_an_answer_that_cannot_be_read_is_unparsable() -> None:
    assert judge("math-v1", "12", "12, no 15").reason == "unparsable_answer"
    assert judge("math-v1", "12", "15").reason == "answer"
