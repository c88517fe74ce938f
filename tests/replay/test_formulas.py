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
        (r"$90^{\circ}$ and $x^{\infty}$", "90° and x^∞"),
        (r"$\frac\pi2$", "π/2"),
        (r"$a \\ b$", "a b"),
        (r"Kim has $\$60,\!000$ of $\$90$.", "Kim has $60,000 of $90."),
        (r"It costs \$5, and $x$ is \$6.", r"It costs \$5, and x is \$6."),
    ],
)
def test_a_formula_is_told_in_plain_characters(text: str, told: str) -> None:
    assert formulas_told(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"$1\frac{1}{2}$ and $3 \frac{1}{2}$", "1 1/2 and 3 1/2"),
        (r"$1\frac{1}{2}x$", "(1 1/2)x"),
        (r"$2\frac{a}{b}$ and $x_1\frac{1}{2}$", "2(a/b) and x_1(1/2)"),
        (r"$\frac{a}{b}c$", "(a/b)c"),
        (r"$\frac{a}{bc}$ and $\frac{1}{2x}$", "a/(bc) and 1/(2x)"),
        (r"$\frac{x}{y}^2$", "(x/y)^2"),
        (r"$x^\frac{1}{2}$", "x^(1/2)"),
        (r"$\frac{3}{4}\frac{1}{2}$", "(3/4)(1/2)"),
        (r"$a/\frac{b}{c}$ and $a\div\frac{b}{c}$", "a/(b/c) and a ÷ (b/c)"),
        (r"$\sin\frac{a}{b}$ and $\frac{a}{b}\sin x$", "sin (a/b) and (a/b)sin x"),
        (r"$2^{10}5$ and $2^{n}\pi$", "2^(10)5 and 2^(n)π"),
        (r"$x^{ab}$ and $x_{max}$ and $f_{n}(x)$", "x^(ab) and x_max and f_n(x)"),
        (r"$x_\text{max}y$", "x_(max)y"),
        (r"$\sqrt{2}3$", "(√2)3"),
        (r"$3\sqrt{2}$ and $\sqrt{xy}$", "3√2 and √(xy)"),
        (r"$\sqrt{x}^2$ and $x^\sqrt{2}$", "(√x)^2 and x^(√2)"),
        (r"$\boxed{\frac{1}{2}}3$", "(1/2)3"),
        (r"$\sqrt\frac{1}{2}$", r"\sqrt (1/2)"),
    ],
)
def test_pieces_that_touch_others_stay_apart_from_them(text: str, told: str) -> None:
    assert formulas_told(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"$x\in\mathbb{R}$", "x ∈ R"),
        (r"$a\cdot\frac{x}{y}$", "a · x/y"),
        (r"$\alpha\mathbf{v}$", "αv"),
        (r"$\sin\mathbf{v}$ and $2\sin\alpha$", "sin v and 2 sin α"),
        (r"$\prec\mathbf{v}$", r"\prec v"),
    ],
)
def test_a_command_is_not_glued_to_what_follows_it(text: str, told: str) -> None:
    assert formulas_told(text) == told


@pytest.mark.parametrize(
    "text", ["It costs $5 or $6.", "From $5-$7 a night", r"a \frac{1}{2} outside", "$", "", r"C:\new\table"]
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert formulas_told(text) == text


def test_what_has_no_plain_form_keeps_its_tex() -> None:
    assert formulas_told(r"$\overarc{AB}$") == r"\overarc{AB}"
    matrix = r"\begin{matrix} 1 & \frac{1}{2} \\ 3 & 4 \end{matrix}"
    assert formulas_told(f"${matrix}$") == matrix


def test_text_made_to_take_long_does_not() -> None:
    nested = r"\frac{" * 80 + "1" + "}{2}" * 80
    assert len(formulas_told(f"${nested}$" * 5)) < 10_000
    assert formulas_told("$" * 5_000)


def test_a_formula_on_a_line_of_its_own_runs_into_no_word() -> None:
    told = formulas_told(r"Say \[a = 3.\]What is $b$ if $$b = a$$then?")
    assert " ".join(told.split()) == "Say a = 3. What is b if b = a then?"
