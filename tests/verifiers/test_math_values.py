"""The values of expressions: no integer larger than its bound, no cost that an answer can drive up."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from verifiers import registry
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.mathtext import values
from verifiers.mathtext.expressions import parse_expression
from verifiers.types import Evidence, Gold

registry.discover()

PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67)
MOST_CPU_S = 0.1
"""An honest verdict takes 0.3 ms; the expressions below took up to 3.3 s."""
LARGE = [
    r"\binom{1/7^{9999}}{50}",
    "+".join(rf"\binom{{1/{prime}^{{9999}}}}{{50}}" for prime in PRIMES[:8]),
    "+".join([r"1/\lfloor 2.1^{900000}\rfloor"] * 6),
    "*".join([r"\lceil e^{690000}\rceil"] * 8),
    "+".join(f"1/{prime}^{{4999}}" for prime in PRIMES),
    "*".join(f"{prime}^{{9999}}" for prime in PRIMES),
    r"\lcm(" + ",".join(f"{prime}^{{9999}}" for prime in PRIMES) + ")",
    r"\gcd(" + ",".join(f"{prime}^{{9999}}" for prime in PRIMES) + ")",
    "*".join(["2000!"] * 28),
    "+".join(f"1/({number}!+1)" for number in range(1990, 2000)),
    "+".join(rf"\sqrt{{7^{{9999}}+{number}}}" for number in range(9)),
    "((2000!)!)!",
    "2^{2^{2^{2^{2^{2}}}}}",
    "(9^{9999})^{9999}",
    r"\max(" + ",".join(f"{prime}^{{9999}}" for prime in PRIMES) + ")",
]


@pytest.mark.parametrize("text", LARGE)
def test_no_exact_value_outgrows_its_bound(text: str) -> None:
    try:
        value = values.evaluate(parse_expression(text))
    except values.Undefined:
        return
    if isinstance(value, Fraction):
        assert value.numerator.bit_length() + value.denominator.bit_length() <= values.MAX_BITS


@pytest.mark.parametrize("gold", ["12", r"\frac{1}{7}", "x^2 + 1", "1, 2"])
@pytest.mark.parametrize("text", LARGE)
def test_a_large_expression_costs_little(text: str, gold: str) -> None:
    assert len(text) <= SHORT_ANSWER_CHARS
    started = time.process_time()
    assert not registry.run("math-v1", gold=Gold(gold), evidence=Evidence(text)).correct
    assert time.process_time() - started < MOST_CPU_S


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("10^{20000} + 1", "10^{20000}"),
        ("10^{20000}", "10^{20000} - 1"),
        (r"\lfloor \pi \cdot 10^{50} \rfloor", r"\pi \cdot 10^{50}"),
        (r"\lfloor 10^{60} - \frac13 \rfloor", "10^{60}"),
    ],
)
def test_what_rounding_would_swallow_is_not_equal(gold: str, answer: str) -> None:
    assert not registry.run("math-v1", gold=Gold(gold), evidence=Evidence(answer)).correct


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"10^{60} - 1", r"\lfloor 10^{60} - \frac13 \rfloor"),
        ("2", r"\lfloor (\sqrt{2})^2 \rfloor"),
        ("3", r"\lceil (\sqrt{3})^2 \rceil"),
        ("-4", r"\lfloor -\pi \rfloor"),
        ("4^{20000}", "2^{40000}"),
        ("4^{30000}", "2^{60000}"),
        (r"1 - e^{-100 t}", r"1 - \frac{1}{e^{100t}}"),
    ],
)
def test_large_and_rounded_values_stay_equal(gold: str, answer: str) -> None:
    assert registry.run("math-v1", gold=Gold(gold), evidence=Evidence(answer)).correct
