from __future__ import annotations

from trajectories.shell.text.long_text import marked
from trajectories.shell.text.untrusted import MARKS_MOST, visible, visible_html


def test_combining_marks_of_real_scripts_are_shown_and_piles_are_counted() -> None:
    word = "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd Vi\u1ec7t e\u0302\u0301"
    assert visible(word) == word
    heap = "a" + "\u0301" * (MARKS_MOST + 1_234)
    assert visible(heap) == "a" + "\u0301" * MARKS_MOST + "+1,234 marks"


def test_the_count_of_marks_is_set_apart_and_the_text_escaped() -> None:
    shown = visible_html("<b>" + "\u0489" * (MARKS_MOST + 2))
    assert shown == "&lt;b&gt;" + "\u0489" * MARKS_MOST + '<span class="invisible">+2 marks</span>'


def test_highlighting_does_not_split_a_pile_of_marks() -> None:
    heap = "\u0301" * 20
    assert marked(f"x{heap}", "\u0301") == visible_html(f"x{heap}")
