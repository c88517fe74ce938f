"""Formulas in lists: plain characters in place of TeX."""

from __future__ import annotations

import pytest
from django.template import Context, Template

from core.episodes.tokens import token_make
from trajectories.shell.text.formulas import (
    CHARS_MAX,
    first_line_to_text,
    formula_to_text,
    formulas_to_text,
    question_line,
)
from trajectories.shell.text.untrusted import BEGINNING_CHARS


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"Is $\frac{1}{2}\le x$?", "Is 1/2 ≤ x?"),
        (r"\(x^2 \cdot y\)", "x² · y"),
        (r"$\dfrac{a+b}{2^{10}}$", "(a+b)/2¹⁰"),
        (r"$\sqrt{3} + \sqrt{x+1}$", "√3 + √(x+1)"),
        (r"$\frac{1}{\sqrt{2}}$", "1/√2"),
        (r"\[f(x) = \left( x \right).\]", "f(x) = (x)."),
        (r"$90^\circ$ and $\sin \theta$", "90° and sin θ"),
        (r"$x_{n+1} \text{ if } 5\%$", "x_(n+1) if 5%"),
        (r"$\frac{\pi}{2}$", "π/2"),
        (r"$\log_2 x\cdot y$", "log₂ x · y"),
        (r"$90^{\circ}$ and $x^{\infty}$", "90° and x^∞"),
        (r"$\frac\pi2$", "π/2"),
        (r"$a \\ b$", "a b"),
        (r"Kim has $\$60,\!000$ of $\$90$.", "Kim has $60,000 of $90."),
        (r"It costs \$5, and $x$ is \$6.", "It costs $5, and x is $6."),
    ],
)
def test_a_formula_is_shown_in_plain_characters(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$1\frac{1}{2}$ and $3 \frac{1}{2}$", "1 1/2 and 3 1/2"),
        (r"$1\frac{1}{2}x$", "(1 1/2)x"),
        (r"$2\frac{a}{b}$ and $x_1\frac{1}{2}$", "2(a/b) and x₁(1/2)"),
        (r"$\frac{a}{b}c$", "(a/b)c"),
        (r"$\frac{a}{bc}$ and $\frac{1}{2x}$", "a/(bc) and 1/(2x)"),
        (r"$\frac{x}{y}^2$", "(x/y)²"),
        (r"$x^\frac{1}{2}$", "x^(1/2)"),
        (r"$\frac{3}{4}\frac{1}{2}$", "(3/4)(1/2)"),
        (r"$a/\frac{b}{c}$ and $a\div\frac{b}{c}$", "a/(b/c) and a ÷ (b/c)"),
        (r"$\sin\frac{a}{b}$ and $\frac{a}{b}\sin x$", "sin(a/b) and (a/b) sin x"),
        (r"$2^{10}5$ and $2^{n}\pi$", "2¹⁰5 and 2^n π"),
        (r"$x^{ab}$ and $x_{max}$ and $f_{n}(x)$", "x^(ab) and x_max and f_n(x)"),
        (r"$x_\text{max}y$", "x_max y"),
        (r"$\sqrt{2}3$", "√2 3"),
        (r"$3\sqrt{2}$ and $\sqrt{xy}$", "3√2 and √(xy)"),
        (r"$\sqrt{x}^2$ and $x^\sqrt{2}$", "(√x)² and x^(√2)"),
        (r"$\boxed{\frac{1}{2}}3$", "(1/2)3"),
        (r"$\sqrt\frac{1}{2}$", "√(1/2)"),
    ],
)
def test_adjacent_parts_of_a_formula_stay_separate(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$x\in\mathbb{R}$", "x ∈ R"),
        (r"$a\cdot\frac{x}{y}$", "a · x/y"),
        (r"$\alpha\mathbf{v}$", "αv"),
        (r"$\sin\mathbf{v}$ and $2\sin\alpha$", "sin v and 2 sin α"),
        (r"$\mystery\mathbf{v}$", r"\mystery v"),
    ],
)
def test_a_command_is_separated_from_the_next_one(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 or $6.",
        "From $5-$7 a night",
        "Between $ 5 and $ 6, or $ 7 $ 8",
        "It costs $5\nor, by boat, $6 more",
        "I have $12 and tax_rate is 5",
        "echo $HOME",
        r"matches r'^\d+$' and then def find(text): re.sub('\s', text)",
        r"a \frac{1}{2} outside",
        "$",
        "",
        r"C:\new\table",
    ],
)
def test_text_that_is_not_a_formula_is_unchanged(text: str) -> None:
    assert formulas_to_text(text) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$x^{2}y^2$ and $x^{-1}$ and $a_{10}^2$", "x²y² and x⁻¹ and a₁₀²"),
        (r"$2^{\left(16^x\right)}$ and $x^{(a+b)}$", "2^(16^x) and x^(a+b)"),
        (r"${AB}$ and $\lceil{\sqrt{20}}\rceil^2$", "AB and ⌈√20⌉²"),
        (r"${a+b}^2$ and ${}_5C_2$", "(a+b)² and ₅C₂"),
        (r"$x^n y^{n}z$ and $n^{\text{th}}$ and $f^{\prime}(x)$", "x^n y^n z and nth and f′(x)"),
        (r"$\frac{x^2y}{2}$ and $\frac{n(n+1)}{2}$ and $\frac{2 \pi}{3}$", "x²y/2 and n(n+1)/2 and 2π/3"),
        (r"$\frac{-29}{3}$ and $2\cdot\frac{-1}{3}$", "-29/3 and 2 · (-1/3)"),
        (r"$\frac{1}{f(x)}$ and $\frac{1}{x_1^2}$ and $\frac{1}{|x|}$", "1/f(x) and 1/x₁² and 1/|x|"),
        (
            r"$\frac{dy}{dx}$ and $\frac{d}{dx}f$ and $\frac{AB}{CD}$ and $\frac{1}{AB}$",
            "dy/dx and (d/dx)f and AB/(CD) and 1/(AB)",
        ),
        (r"$\frac{1}{2} gt$ and $\frac{a}{b} c$ and $\frac{a}{b} + c$", "1/2 gt and (a/b) c and a/b + c"),
        (r"$\frac{1}{2}/x$ and $x^{n}!$", "(1/2)/x and (x^n)!"),
        (r"$x=\pm 3$ and $2\pm 3$", "x=±3 and 2 ± 3"),
        (
            r"$\sum_{i=1}^{10} i$ and $\int_0^1x$ and $\lim_{x\to 0}f$",
            "∑_(i=1)¹⁰ i and ∫₀¹x and lim_(x → 0) f",
        ),
    ],
)
def test_brackets_are_added_only_where_needed(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$9.8\text{ m/s}^2$ and $5\mathrm{\,kg/m}^{3}$", "9.8 m/s² and 5 kg/m³"),
        (r"$9.8{\rm \,m/s}^2$ and ${a/s}^2$", "9.8 m/s² and (a/s)²"),
        (r"$15\text{ cm}^2$ and $3 \mbox{ in.}^2$", "15 cm² and 3 in.²"),
        (r"$\text{mean area}_1$ and $\text{a }\frac12^2$", "mean area₁ and a (1/2)²"),
        (r"$\boxed{a+b}^2$ and $\mathrm{\frac12}^2$", "(a+b)² and (1/2)²"),
    ],
)
def test_a_power_after_words_belongs_to_their_last_character(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$1^{st}$ and $22^{\text{nd}}$ and the 3$^{rd}$ and $n^{th}$", "1st and 22nd and the 3rd and nth"),
        (r"$e^{st}$ and $a^{nd}$ and $x^{rd}$ and $x_1^{st}$", "e^(st) and a^(nd) and x^(rd) and x₁^(st)"),
    ],
)
def test_only_numbers_take_ordinal_suffixes(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$0.\overline{3}$ and $\overline{AB,}$ and $\overline{x+y}$", "0.3̅ and A̅B̅, and bar(x+y)"),
        (
            r"$\hat{x}$ and $\vec v$ and $\overarc{AB}$ and $\overset{\frown}{AB}$",
            "x̂ and v⃗ and arc(AB) and arc(AB)",
        ),
        (r"$\binom{n}{2}$ and ${n \choose k}$ and ${a \over b+c}$", "C(n, 2) and C(n, k) and a/(b+c)"),
        (r"$\lfloor x \rfloor$ and $\lvert x\rvert$ and $\langle a, b\rangle$", "⌊x⌋ and |x| and ⟨a, b⟩"),
        (r"$\sqrt[3]{x}$ and $\sqrt[5]{x+1}$ and $\sqrt[k]{2}$", "∛x and ⁵√(x+1) and √[k]2"),
        (r"$a\equiv b\pmod{n}$ and $7 \bmod 3$", "a ≡ b (mod n) and 7 mod 3"),
        (r"$x\notin\emptyset\iff y\not\in A$ and $3\mid 6$", "x ∉ ∅ ⇔ y ∉ A and 3 | 6"),
        (r"$AB\parallel CD\perp\Gamma$", "AB ∥ CD ⊥ Γ"),
        (r"$\operatorname{lcm}(a,b)\quad\hspace{2mm}\Large x$", "lcm(a,b) x"),
        (r"$\text{if $x>0$}$", "if x>0"),
    ],
)
def test_mathematical_signs_are_written_as_characters(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$\begin{pmatrix} 1 & \frac{1}{2} \\ 3 & 4 \end{pmatrix}$", "[1, 1/2; 3, 4]"),
        (r"$\left(\begin{array}{cc} 1 & 2 \\[4pt] 3 & 4 \end{array}\right)$", "(1, 2; 3, 4)"),
        (r"$\begin{vmatrix} a & b \\ c & d \end{vmatrix}$", "|a, b; c, d|"),
        (
            r"\[f(x) = \begin{cases} x^2 & \text{if } x > 0, \\ -x & \text{else} \end{cases}\]",
            "f(x) = {x² if x > 0; -x else",
        ),
        (
            "\\[\\left\\{\n\\begin{array}{l} 3, &\\text{if }x>2,\\\\ 5 &\\text{else} \\end{array}\\right.\\]",
            "{ 3 if x>2; 5 else",
        ),
        (r"So \begin{align*} x &= 1, \\ y &= 2. \end{align*} Add", "So  x = 1; y = 2.  Add"),
        (r"See \begin{tabular}{c|c} a & b \\ \hline 1 & 2 \end{tabular}!", "See  [table] !"),
        ("See [asy]\ndraw((0,0)--(1,1));\n[/asy]!", "See  [figure] !"),
    ],
)
def test_rows_and_columns_are_written_in_one_line(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"Let $ x $ and $ \frac{1}{2} $ be", "Let x and 1/2 be"),
        (r"At $5 each, $x^2$ and \[y = 1\] in $ 7", "At $5 each, x² and  y = 1  in $ 7"),
        ("So $a +\nb$ and \\(a\n\\le b\\).", "So a + b and a ≤ b."),
    ],
)
def test_formulas_with_space_inside_their_marks_are_formulas(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"Find $\frac{1", "Find 1/…"),
        (r"Find \[x^2 + \sqr", "Find  x² +…"),
        (r"Find $$x^2 + 1$", "Find  x² + 1…"),
        (r"Find $", "Find …"),
        (r"Let $n = 1", "Let n = 1…"),
        (r"So \begin{align*} x &= 1 \\ y", "So  x = 1; y…"),
        ("See [asy]\ndraw((0,0)", "See  [figure]…"),
    ],
)
def test_a_truncated_formula_is_shown_as_far_as_it_goes(text: str, plain: str) -> None:
    assert formulas_to_text(text, is_cut=True) == plain


@pytest.mark.parametrize(
    "text",
    [
        "The price rose by $x",
        "var $i = $j",
        "cd $p",
        r"Ends in \[4pt",
        r"Find $\frac{1",
        r"So \begin{align*} x &= 1",
        "See [asy]\ndraw((0,0)",
    ],
)
def test_an_unclosed_formula_in_a_complete_text_is_not_a_formula(text: str) -> None:
    assert formulas_to_text(text) == text
    assert first_line_to_text(text) == text.splitlines()[0]


def test_an_unclosed_environment_does_not_affect_later_formulas() -> None:
    assert formulas_to_text(r"\begin{note} For $\frac12$ of [asy] x") == r"\begin{note} For 1/2 of [asy] x"


@pytest.mark.parametrize("name", ["question_line", "first_line_to_text"])
def test_a_list_row_treats_a_formula_as_truncated_if_its_text_continues(name: str) -> None:
    draw = Template(f"{{% load lab %}}{{{{ text|{name} }}}}").render
    filler = "\n" * (BEGINNING_CHARS - len("It cost $x"))
    assert draw(Context({"text": f"{filler}It cost $x"})) == "It cost $x"
    assert draw(Context({"text": f"{filler}It cost $x^2"})) == "It cost x²…"


def test_a_formula_without_a_plain_form_keeps_its_tex() -> None:
    assert formulas_to_text(r"$\mystery{AB}c$ and $\frac{1}{2$") == r"\mystery ABc and \frac{1}{2"


def test_only_as_much_text_as_needed_is_converted() -> None:
    text = r"Let $\frac{1}{2}$ be. " * 20
    start = formulas_to_text(text, chars=30)
    assert formulas_to_text(text).startswith(start)
    assert 30 < len(start) < 60


def test_the_first_line_may_be_a_formula_over_several_lines() -> None:
    assert first_line_to_text("\n\\[a\n= b\\]\nSo") == "a = b"
    assert first_line_to_text("So $x^2$ and on", 8) == "So x² a…"


def test_hostile_text_does_not_take_long() -> None:
    nested = r"\frac{" * 80 + "1" + "}{2}" * 80
    assert len(formulas_to_text(f"${nested}$" * 5)) < 10_000
    assert formulas_to_text("$" * 5_000)
    for piece in (
        r"\(",
        r"\[",
        r"\frac",
        "{",
        "x^{",
        r"a\over ",
        r"\sqrt[",
        r"\begin{align}",
        "[asy]",
        "x y ",
    ):
        assert formulas_to_text(f"{piece * 1_000} x")
        assert len(formulas_to_text(f"$${piece * 100}$$")) <= len(piece * 100)
        assert formulas_to_text(rf"\begin{{align}}{piece * 1_000}")


def test_formulas_beyond_the_length_limit_are_unchanged() -> None:
    filler = "x" * (CHARS_MAX - len(r"$\frac{1}{2}$"))
    formula = r"$\frac{1}{2}$"
    assert formulas_to_text(filler + formula) == f"{filler}1/2"
    for text in (f"{filler}x{formula}", "[asy]" * CHARS_MAX):
        assert formulas_to_text(text) == formulas_to_text(text, is_cut=True) == text


def test_a_formula_that_is_too_long_keeps_its_tex() -> None:
    formula = r"\le" + "1" * (CHARS_MAX - len(r"\le"))
    assert formula_to_text(formula).startswith("≤ 1")
    assert formula_to_text(formula + "1") == formula + "1"


def test_a_displayed_formula_does_not_run_into_the_next_word() -> None:
    text = formulas_to_text(r"Say \[a = 3.\]What is $b$ if $$b = a$$then?")
    assert " ".join(text.split()) == "Say a = 3. What is b if b = a then?"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$\frac{1}{n(n+1)}$", "1/(n(n+1))"),
        (r"$\frac{1}{f(x)}$", "1/f(x)"),
        ("$ab = xy" + " " * 45 + "^2$", "ab = xy²"),
        (r"$\begin{cases} 2 & x=1\\ x & \text{if } y \end{cases}$", "{2, x=1; x if y"),
        (r"$\operatorname*{lcm}(a,b)$", "lcm(a,b)"),
        ("var $i = $j + 1 and more", "var $i = $j + 1 and more"),
    ],
)
def test_no_part_of_a_formula_is_lost_or_changed(text: str, plain: str) -> None:
    assert formulas_to_text(text) == plain


def test_a_token_inside_an_apparent_formula_is_fully_masked() -> None:
    token = token_make(episode_id=2**40, key=b"_" * 32)
    text = formulas_to_text(f"A room is $120 (http://a:8000/e/{token}/stays) or 90$ elsewhere.")
    assert "/e/***/stays" in text
    assert formula_to_text(f"x = /e/{token}/stays") == "x = /e/***/stays"


def test_a_picture_of_a_prompt_is_named_in_a_line() -> None:
    assert question_line("![Figure 1](blob:58f5096b)\n\nWhich day?") == "[Figure 1] Which day?"
    assert question_line("Which day? ![Figure 1](blob:58f5") == "Which day? [Figure 1]"
