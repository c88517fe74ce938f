from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.text.latex import blocks_split, segments_split

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def kinds(text: str) -> list[tuple[str, str]]:
    return [(segment.kind, segment.text) for segment in segments_split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Find $x$.", [("text", "Find "), ("inline", "x"), ("text", ".")]),
        ("$a$$b$", [("inline", "a"), ("inline", "b")]),
        ("$$a+b$$", [("display", "a+b")]),
        (r"\(a\) and \[b\]", [("inline", "a"), ("text", " and "), ("display", "b")]),
        (r"\[a \\[2pt] b\]", [("display", r"a \\[2pt] b")]),
        (r"costs \$5 or $\$5$", [("text", "costs $5 or "), ("inline", r"\$5")]),
        (r"$\text{if $x>0$}$", [("inline", r"\text{if $x>0$}")]),
        (r"$\left\{ x$ and $y$", [("inline", r"\left\{ x"), ("text", " and "), ("inline", "y")]),
        ("$\\frac{1$ rest", [("inline", r"\frac{1"), ("text", " rest")]),
        ("a lone $ stays", [("text", "a lone $ stays")]),
        (
            "from $$ 1$ to $$ 99$ and $a$",
            [
                ("text", "from $"),
                ("inline", "1"),
                ("text", " to $"),
                ("inline", "99"),
                ("text", " and "),
                ("inline", "a"),
            ],
        ),
        ("$$ 5$$ and $a$$5$", [("display", "5"), ("text", " and "), ("inline", "a"), ("inline", "5")]),
        ("empty $$ and $ $ stay", [("text", "empty $$ and $ $ stay")]),
        (r"\begin{align*} a &= b \end{align*}", [("display", r"\begin{align*} a &= b \end{align*}")]),
        (r"\begin{tabular}{c} $1$ \end{tabular}", [("source", r"\begin{tabular}{c} $1$ \end{tabular}")]),
        ("[asy] draw((0,0)); [/asy] x", [("source", "[asy] draw((0,0)); [/asy]"), ("text", " x")]),
        (r"\[ [asy] dot(); [/asy] \]", [("source", "[asy] dot(); [/asy]")]),
        (r"open \[ never closed", [("text", r"open \[ never closed")]),
        (r"100\% of \textbf{it}", [("text", r"100% of \textbf{it}")]),
        ("", []),
    ],
)
def test_text_is_split_at_its_formula_delimiters(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


def test_money_in_plain_text_is_never_a_formula() -> None:
    text = "She has $5 and gets $7 more. That is \\$12."

    (block,) = blocks_split(text, text_format="plain")

    assert [(segment.kind, segment.text) for segment in block.segments] == [("text", text)]


def test_blank_lines_separate_paragraphs_and_figures_stand_alone() -> None:
    blocks = blocks_split("One $a$.\n\nTwo\nlines. [asy]dot();[/asy]\n\n Three.", text_format="latex")

    assert [(block.kind, block.text.strip()) for block in blocks] == [
        ("paragraph", "One a."),
        ("paragraph", "Two\nlines."),
        ("source", "[asy]dot();[/asy]"),
        ("paragraph", "Three."),
    ]


def test_plain_text_keeps_its_paragraphs() -> None:
    assert [block.text for block in blocks_split("a\n\nb\nc\n", text_format="plain")] == [
        "a",
        "b\nc\n".strip(),
    ]


def official_problems() -> list[str]:
    files = [DATA / "math" / "train.jsonl", *DATA.glob("math500/*.jsonl"), *DATA.glob("aime/*.jsonl")]
    lines = [line for path in files if path.is_file() for line in path.read_text().splitlines() if line]
    return [json.loads(line)["problem"] for line in lines]


def test_segments_of_official_problems_join_to_the_source() -> None:
    problems = official_problems()
    if not problems:
        pytest.skip("the official MATH files are not beside this checkout")
    for problem in problems:
        assert "".join(segment.raw for segment in segments_split(problem)) == problem
