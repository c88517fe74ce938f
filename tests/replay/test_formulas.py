"""Formulas in lists: plain characters in place of TeX."""

from __future__ import annotations

import pytest

from trajectories.replay.formulas import formulas_told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"Is $\frac{1}{2}\le x$?", "Is 1/2 ≤ x?"),
        (r"\(x^2 \cdot y\)", "x^2 · y"),
        (r"$\dfrac{a+b}{2^{10}}$", "(a+b)/(2^10)"),
        (r"$\sqrt{3} + \sqrt{x+1}$", "√3 + √(x+1)"),
        (r"$\frac{1}{\sqrt{2}}$", "1/(√2)"),
        (r"\[f(x) = \left( x \right).\]", "f(x) = ( x )."),
        (r"$90^\circ$ and $\sin \theta$", "90° and sin θ"),
        (r"$x_{n+1} \text{ if } 5\%$", "x_(n+1) if 5%"),
        (r"$\frac{\pi}{2}$", "π/2"),
        (r"$\log_2 x\cdot y$", "log_2 x · y"),
    ],
)
def test_a_formula_is_told_in_plain_characters(text: str, told: str) -> None:
    assert formulas_told(text) == told


@pytest.mark.parametrize(
    "text", ["It costs $5 or $6.", "From $5-$7 a night", r"a \frac{1}{2} outside", "$", "", r"C:\new\table"]
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert formulas_told(text) == text


def test_what_has_no_plain_form_keeps_its_tex() -> None:
    assert formulas_told(r"$\overarc{AB}$") == r"\overarc{AB}"


def test_text_made_to_take_long_does_not() -> None:
    nested = r"\frac{" * 80 + "1" + "}{2}" * 80
    assert len(formulas_told(f"${nested}$" * 5)) < 10_000
    assert formulas_told("$" * 5_000)
