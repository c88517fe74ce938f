from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from core.episodes.presentation import Look
from core.errors import GymError
from palaestra.protocol import outline
from validation.parity import texts


def expected(text: str, text_format: str = "latex") -> str:
    return texts.expected_text("free_answer", {"text": text, "format": text_format})


HEAD = ['page "Question" https://gym/', "main", '  heading 1 "Question"']
FIELD = '  [e1] textbox "Your answer" value=""'
BUTTON = '  [e2] button "Submit answer"'


def observed(*lines: str, form: tuple[str, ...] = (FIELD, BUTTON)) -> str:
    return seen([*HEAD, *lines, *form])


def seen(lines: list[str], *, payload: Mapping[str, Any] | None = None, **axes: Any) -> str:
    return texts.observed_text("\n".join(lines), look=Look(**axes), payload=payload or {"text": ""})


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
def test_an_observation_with_all_the_text_of_the_source_equals_it(source: str, lines: list[str]) -> None:
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
def test_lost_added_and_moved_text_are_differences(line: str) -> None:
    source = expected("Find $\\frac{1}{2^{10}}$ of it.")
    text = observed(line)
    assert text != source
    assert "where the observation has" in str(texts.difference(expected=source, observed=text))


def test_a_difference_shows_where_the_texts_diverge() -> None:
    difference = texts.difference(expected="a" * 100 + "b" * 100, observed="a" * 100)
    assert difference == f"the source has {'a' * 20 + 'b' * 20!r} where the observation has {'a' * 20!r}"
    assert texts.difference(expected="same", observed="same") is None


@pytest.mark.parametrize("lines", [["main", "  text: Question", BUTTON], [*HEAD, "  text: Question"], []])
def test_a_page_without_heading_or_button_is_not_a_question(lines: list[str]) -> None:
    with pytest.raises(GymError, match="no heading with a submit button"):
        seen(lines)


def test_a_page_that_an_observation_cannot_represent_is_an_error() -> None:
    with pytest.raises(GymError, match="longer than an observation may be"):
        observed("  text: Words", form=(outline.CUT,))


PICTURES = [
    {"name": f"figure-{k}", "sha256": f"{k}" * 64, "content_type": "image/png", "width": 4, "height": 3}
    for k in (1, 2)
]
CHOICE = {
    "text": "Which costs $5?\nOne does.",
    "passage": "Read <image 1>.",
    "format": "plain",
    "choices": [{"label": "A", "text": 'A "pen"'}, {"label": "B", "text": "<image 2>"}],
    "pictures": PICTURES,
}
CHOICE_LINES = [
    '  region "Passage"',
    "    text: Read",
    '    figure "Figure 1"',
    "    text: .",
    "  preformatted:",
    "    | Which costs $5?",
    "    | One does.",
]
RADIOS = [
    '  radiogroup "Your answer"',
    '    [e1] radio "A. A "pen"" unchecked',
    '    [e2] radio "B. Figure 2" unchecked',
]


def test_a_passage_pictures_and_choices_are_read_from_their_lines() -> None:
    text = observed(*CHOICE_LINES, form=(*RADIOS, BUTTON))

    assert text == texts.expected_text("choice", CHOICE)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('    [e2] radio "B. Figure 2" unchecked', '    [e2] radio "B. Figure 2" checked'),
        ('    [e2] radio "B. Figure 2" unchecked', ""),
        ('    [e2] radio "B. Figure 2" unchecked', '    [e2] radio "B. Figure 2, a lion" unchecked'),
        ('  radiogroup "Your answer"', '  radiogroup "Take B"'),
        ('    figure "Figure 1"', '    figure "Figure 1: a lion"'),
        ('    figure "Figure 1"', ""),
        (BUTTON, f"{BUTTON}\n  text: B is right."),
        (BUTTON, f'  [e4] button "Zoom in"\n{BUTTON}'),
    ],
)
def test_a_choice_page_with_additional_or_missing_text_differs(line: str, instead: str) -> None:
    lines = "\n".join([*CHOICE_LINES, *RADIOS, BUTTON]).replace(line, instead)

    text = seen([*HEAD, lines])

    assert text != texts.expected_text("choice", CHOICE)


def test_form_fields_are_not_part_of_the_question() -> None:
    fields = ('  [e1] textbox "Your answer 1" value=""', '  [e3] button "Add another answer"', BUTTON)
    typed = ('  [e1] textbox "Your answer 1" value="7"', BUTTON)

    assert observed("  text: Words", form=fields) == expected("Words")
    assert observed("  text: Words", form=typed) != expected("Words")


def test_empty_lines_of_preformatted_text_are_ignored() -> None:
    lines = ["  preformatted:", "    | 1 2", "    | ", "    | 3 4"]
    assert observed(*lines) == expected("1 2\n\n3 4", "plain")


def test_a_question_kind_without_a_rule_is_refused() -> None:
    with pytest.raises(GymError, match="There is no question kind 'essay'"):
        texts.expected_text("essay", {})
