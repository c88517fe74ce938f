"""One reader of numbers: the same table for every verifier that compares them."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from verifiers import registry
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.numbers.notation import written_number
from verifiers.numbers.statement import stated_number
from verifiers.types import Evidence, Gold

registry.discover()

READERS = ("numeric-v1", "math-v1", "math_strict-v1", "mmmu_strict-v2", "relaxed_strict-v1")
WRITTEN = [
    ("1/1000", "10⁻³ 10^{-3} 10^-3 10^(-3) 1e-3 0.001 .001 1×10⁻³ 1*10^-3 ¹⁄₁₀₀₀ 0.0010"),
    (
        "1000000",
        "10⁶ 10^6 1e6 1,000,000 1.000.000 1'000'000 1’000’000 1000000.0 1{,}000{,}000 1,\\!000,\\!000",
    ),
    (
        "2000",
        "2x10^3 2×10³ 2·10³ 2⋅10^3 2*10^3 2\\times10^{3} 2\\cdot10^3 2,000 2'000 2.000,0 2E3 $2,000 €2000",
    ),
    ("14766", "14,766 14'766 14766 14.766,00 1.4766e4 +14766 １４７６６"),
    ("1/2", "½ 1/2 1⁄2 ¹⁄₂ 1∕2 0.5 .5 \\frac12 \\frac{1}{2} \\dfrac{1}{2} \\tfrac12 2/4 5e-1 0,50"),
    ("5/2", "2½ 2.5 5/2 2\\frac{1}{2} 2\\frac12 2,50 2¹⁄₂ 25e-1"),
    ("1/7", "⅐ 1/7 0.\\overline{142857} 0.\\dot{1}4285\\dot{7} 0.(142857) 0,(142857)"),
    (
        "1/3",
        "⅓ 0.\\bar{3} 0.\\bar3 0.\\overline3 0.\\overline{3} 0.\\dot3 0.\\dot{3} 0.3̅ 0.3̄ 0.3̇ 0.333... 0.333…",
    ),
    ("1/6", "0.1\\bar{6} 0.1\\bar6 0.1\\overline{6} 0.1\\dot{6} 0.16̅ 0.1666... 0.1666\\ldots ⅙"),
    ("-7/4", "-1.75 −1.75 –1.75 -7/4 −1¾ -1\\frac{3}{4} -1,75"),
    ("12345.6", "12,345.6 12.345,6 12'345.6 12345.6 1.23456e4"),
    ("745/1000", "0.745 0,745 .745 745/1000"),
    ("0", "0 0.0 −0 0e5"),
]
SPACED = [
    ("14766", "14 766"),
    ("14766", "14\u202f766"),
    ("14766", "14\u2009766"),
    ("14766", "14\u00a0766"),
    ("14766", "14\\,766"),
    ("1234567", "1 234 567"),
    ("1234.5", "1 234.5"),
    ("1234.5", "1 234,5"),
    ("2000", "2 x 10^3"),
    ("2000", "2 X 10^{3}"),
    ("2000", "2 × 10³"),
    ("2000", "2 \\cdot 10^{3}"),
    ("5/2", "2 1/2"),
    ("5/2", "2 ½"),
    ("11/4", "2 \\frac{3}{4}"),
    ("-3", "- 3"),
    ("3", "3."),
]
EQUAL = [*((value, text) for value, texts in WRITTEN for text in texts.split()), *SPACED]
OTHER = [
    ("12", "1²"),
    ("12", "1^2"),
    ("12", "1₂"),
    ("12", "¹²"),
    ("12", "₁₂"),
    ("12", "①②"),
    ("12", "1 2"),
    ("12", "1'2"),
    ("1000", "10³³"),
    ("1000", "10₃"),
    ("1/1000", "10³"),
    ("1/1000", "-10³"),
    ("14766", "14.766"),
    ("14766", "147 66"),
    ("14766", "14'7666"),
    ("14766", "1 4766"),
    ("2745", "2,7450"),
    ("1000000", "1.000.00"),
    ("1/3", "0.3"),
    ("1/3", "0.3..."),
    ("1/3", "0.33..."),
    ("1/3", "3.\\bar{3}"),
    ("1/3", "0.\\bar{3}3"),
    ("1/3", "0.\\bar{6}"),
    ("1/2", "2/1"),
    ("1/2", "₁⁄²"),
    ("5/2", "21/2"),
    ("2000", "2x10"),
    ("2000", "2x103"),
    ("0", "0x10"),
    ("230", "23̅"),
    ("12", "24/2 apples or 13"),
    ("15/2", "2.5(3) or so"),
]


WORDS = {
    "18": ["eighteen", "Eighteen."],
    "25": ["twenty-five"],
    "105": ["one hundred and five"],
    "-3": ["minus three"],
    "0": ["zero"],
}
NO_NUMBER = [
    "eighteen or nineteen",
    "not eighteen",
    "nineteen",
    "eighteen hundred and",
    "one eight",
    "-eighteen",
]


def is_correct(verifier_id: str, value: str, text: str) -> bool:
    return registry.run(verifier_id, gold=Gold(value), evidence=Evidence(text)).correct


def test_the_table_has_every_notation_apart() -> None:
    assert len(EQUAL) == len(set(EQUAL)) > 100


@pytest.mark.parametrize("verifier_id", [one for one in READERS if one != "mmmu_strict-v2"])
def test_a_whole_answer_in_words_is_a_number_to_all_verifiers_but_that_of_mmmu(verifier_id: str) -> None:
    assert all(is_correct(verifier_id, value, text) for value, texts in WORDS.items() for text in texts)
    assert not any(is_correct(verifier_id, "18", text) for text in NO_NUMBER)


@pytest.mark.parametrize("verifier_id", READERS)
def test_a_number_is_the_same_number_to_all_verifiers(verifier_id: str) -> None:
    golds = {value: str(float(Fraction(value))) for value in ("1234.5", "12345.6", "745/1000")}
    refused = [pair for pair in EQUAL if not is_correct(verifier_id, golds.get(pair[0], pair[0]), pair[1])]
    is_chart = verifier_id == "relaxed_strict-v1"
    assert [pair for pair in refused if not (is_chart and "/" in pair[0])] == []


@pytest.mark.parametrize("verifier_id", READERS)
def test_what_looks_like_a_number_and_is_another_is_refused(verifier_id: str) -> None:
    assert [pair for pair in OTHER if is_correct(verifier_id, *pair)] == []


@pytest.mark.parametrize("text", ["12 lakh", "12 bn", "12 Mrd", "12 million", "12 Millionen", "12万"])
@pytest.mark.parametrize("verifier_id", ["numeric-v1", "math-v1", "math_strict-v1"])
def test_a_word_of_magnitude_is_no_unit(verifier_id: str, text: str) -> None:
    assert not is_correct(verifier_id, "12", text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("La respuesta es 2,74 €.", "2.74"),
        ("Prix : 8,35 $", "8.35"),
        ("Er zahlte 12,50 Euro.", "12.5"),
        ("Ответ: 3,14", "3.14"),
        ("答案是12。", "12"),
        ("12 cm²", "12"),
        ("5.2 million", "5200000"),
    ],
)
def test_a_sentence_states_its_one_number(text: str, value: str) -> None:
    number = stated_number(text)
    assert number is not None
    assert number.value == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "No es 12", "12 oder 15", "pas 12", "non è 12", "nicht 12", "не 12", "不是12", "12万", "12 Millionen",
        "12 mil", "menos 12", "entre 12 et 15", "x*12", "12x", "half of 12", "x != 12", "12!", "x ≠ 12",
        "12 à 15", "1² cm",
    ],
)  # fmt: skip
def test_a_sentence_that_denies_bounds_or_changes_a_number_states_none(text: str) -> None:
    assert stated_number(text) is None


HOSTILE = ["1 " * 100, "1,000" * 40, "0." + "12" * 99, "0.(" * 66, "9" * 200, "1'000" * 40, "2x" * 100,
           "0.\\dot1" * 28, "¹" * 200, "1.000" * 40, "0." + "1" * 190 + "..."]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_number_takes_long_to_read(text: str) -> None:
    assert len(text) <= SHORT_ANSWER_CHARS
    started = time.process_time()
    for verifier_id in READERS:
        is_correct(verifier_id, "12", text)
    assert time.process_time() - started < 0.5


BOUNDED = """
almost 12; nearly 12; exceeds 12; the square of 12; log 12; unlikely 12; if x is 12;
mehr als 12; über 12 Euro; bis zu 12 Euro; fast 12; d'environ 12 euros; jusqu'à 12 euros;
supérieur à 12; mayor que 12; hasta 12; maggiore di 12; até 12; meer dan 12; до 12; mer än 12;
nem 12; bukan 12; 12 juta; 12 tisíc; 12以上; 超过12; 12 이상; たぶん12
""".replace("\n", " ").split("; ")
UNTOLD = ("12 \u03c0", "\u03cc\u03c7\u03b9 12", "\u0644\u064a\u0633 12", "12 \u0645\u0644\u064a\u0648\u0646")
"""Words and letters of scripts for which there is no table."""


@pytest.mark.parametrize("text", [*BOUNDED, *UNTOLD])
@pytest.mark.parametrize("verifier_id", ["numeric-v1", "relaxed_strict-v1"])
def test_words_that_bound_or_deny_a_number_state_none(verifier_id: str, text: str) -> None:
    assert not registry.run(verifier_id, gold=Gold("12"), evidence=Evidence(text)).correct


@pytest.mark.parametrize(
    "text", ["12 more apples", "12 square feet", "12\u5143", "Es sind 12 \u00c4pfel", "12 \u03a9"]
)
def test_plain_words_around_a_number_are_read_past(text: str) -> None:
    number = stated_number(text)
    assert number is not None
    assert number.value == 12


@pytest.mark.parametrize("text", ["14766", "-3", "0.10", "007", "2.745", "-0", "1000000"])
def test_plain_digits_read_as_within_other_notations(text: str) -> None:
    slow = stated_number(text + " ")
    assert stated_number(text) == written_number(text) == slow == written_number(f" {text}")
