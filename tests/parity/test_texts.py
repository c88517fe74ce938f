from __future__ import annotations

import pytest

from gymsite.core.errors import GymError
from gymsite.parity import texts


def expected(text: str, text_format: str = "latex") -> str:
    return texts.expected_text("free_answer", {"text": text, "format": text_format})


def observed(*lines: str) -> str:
    head = ['page "Question" https://gym/', "main", '  heading 1 "Question"']
    field = ['  [e1] textbox "Your answer" value=""', '  [e2] button "Submit"']
    return texts.observed_text("\n".join([*head, *lines, *field]))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (
            "Find $\\frac{1}{2^{10}}$ of  it.\n\nNow.",
            ["  text: Find $\\frac{1}{2^{10}}$ of it.", "  text: Now."],
        ),
        ("so \\[x = 1\\] and \\(y\\)", ["  text: so $$x = 1$$ and $y$"]),
        ("pay \\$5 or 10\\% for \\{a\\}", ["  text: pay $5 or 10% for {a}"]),
        ("$a,$\\[b\\]", ["  text: $a,$ $$b$$"]),
        ("$\\text{if $x$}$", ["  text: $\\text{if $x$}$"]),
        (
            "\\begin{align*}a &= b \\\\ c\\end{align*}",
            ["  text: $$\\begin{align*}a &= b \\\\ c\\end{align*}$$"],
        ),
        (
            "See\n\\begin{tabular}{c}\n1 \\\\\n\\end{tabular}",
            [
                "  text: See",
                "  preformatted:",
                "    | \\begin{tabular}{c}",
                "    | 1 \\\\",
                "    | \\end{tabular}",
            ],
        ),
        (
            "\\begin{tabular}{c}\n\n1 \\\\\n\\end{tabular}",
            [
                "  preformatted:",
                "    | \\begin{tabular}{c}",
                "    | ",
                "    | 1 \\\\",
                "    | \\end{tabular}",
            ],
        ),
        ("text: | of it", ["  text: text: | of it"]),
    ],
)
def test_an_observation_that_says_all_of_the_source_is_equal_to_it(source: str, lines: list[str]) -> None:
    assert observed(*lines) == expected(source)


def test_a_dollar_of_plain_text_is_money() -> None:
    assert expected("It costs $5, or $6.", "plain") == observed("  text: It costs $5, or $6.")


@pytest.mark.parametrize(
    "line",
    [
        "  text: Find 1 2 10 of it.",
        "  text: Find $\\frac{1}{2^{1}}$ of it.",
        "  text: Find \\frac{1}{2^{10}} of it.",
        "  text: Find $\\frac{1}{2^{10}}$ of it. And more.",
        "  text: $\\frac{1}{2^{10}}$ Find of it.",
        '  text: Find $\\frac{1}{2^{10}}$ of it.\n  [e3] button "Hint"',
    ],
)
def test_what_is_lost_added_or_moved_is_a_difference(line: str) -> None:
    source = expected("Find $\\frac{1}{2^{10}}$ of it.")
    found = observed(line)
    assert found != source
    assert "where the observation has" in str(texts.difference(expected=source, observed=found))


def test_a_difference_shows_where_the_texts_part() -> None:
    told = texts.difference(expected="a" * 100 + "b" * 100, observed="a" * 100)
    assert told == f"the source has {'a' * 20 + 'b' * 20!r} where the observation has {'a' * 20!r}"
    assert texts.difference(expected="same", observed="same") is None


def test_a_page_without_question_or_field_recovers_nothing() -> None:
    assert texts.observed_text("main\n  text: Question") != expected("Question")


def test_a_question_kind_without_a_rule_is_refused() -> None:
    with pytest.raises(GymError, match="There is no question kind 'essay'"):
        texts.expected_text("essay", {})
