from __future__ import annotations

import pytest

from trajectories.shell.text import diffs


def test_the_same_text_is_no_change() -> None:
    assert diffs.lines_diff("a\nb", "a\nb").is_empty


def test_a_changed_line_is_shown_between_unchanged_ones() -> None:
    diff = diffs.lines_diff("a\nb\nc", "a\nx\nc")
    assert [(one.kind, one.text) for one in diff.changes] == [
        ("same", "a"),
        ("removed", "b"),
        ("added", "x"),
        ("same", "c"),
    ]
    assert (diff.added, diff.removed) == (1, 1)


def test_long_unchanged_runs_are_folded_except_at_their_ends() -> None:
    lines = [f"line {number}" for number in range(100)]
    changed = [*lines[:50], "new", *lines[50:]]
    diff = diffs.lines_diff("\n".join(lines), "\n".join(changed))
    assert [(one.kind, one.count) for one in diff.changes] == [
        ("folded", 47),
        ("same", 0),
        ("added", 0),
        ("same", 0),
        ("folded", 47),
    ]
    assert diff.changes[1].text.splitlines() == lines[47:50]


def test_words_are_compared_including_the_space_between_them() -> None:
    diff = diffs.words_diff("I click  here", "I click  there")
    assert "".join(one.text for one in diff.changes if one.kind != "removed") == "I click  there"
    assert [one.text for one in diff.changes if one.kind == "added"] == ["there"]


@pytest.mark.parametrize("kind", ["added", "removed"])
def test_unchanged_and_changed_words_rebuild_both_texts(kind: str) -> None:
    before, after = "one two three four", "one three 3 four five"
    diff = diffs.words_diff(before, after)
    text = "".join(one.text for one in diff.changes if one.kind in ("same", kind))
    assert text == (after if kind == "added" else before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a " * 150_000, "b " * 150_000),
        ("x" * 500_000, "y"),
        ("\n".join("ab" * 1000), "\n".join("ba" * 1400)),
        ("\n".join(str(number) for number in range(9_000)), "\n".join("z" for _ in range(9_000))),
    ],
)
def test_texts_that_would_take_long_are_not_compared(before: str, after: str) -> None:
    compare = diffs.lines_diff if "\n" in before else diffs.words_diff
    assert compare(before, after).is_too_large


def test_a_large_text_with_a_small_change_is_compared() -> None:
    lines = [f"line {number}" for number in range(9_000)]
    changed = [*lines[:4_000], "new", *lines[4_001:]]
    diff = diffs.lines_diff("\n".join(lines), "\n".join(changed))
    assert (diff.added, diff.removed, diff.is_too_large) == (1, 1, False)


ONE = "The page shows forty offers, so I compare the totals of those that can be cancelled before the trip."
OTHER = (
    "Nothing happened when I pressed it; perhaps a dialog is open in front, and I should close that first."
)


def test_thoughts_with_hardly_a_word_in_common_are_not_diffed() -> None:
    diff = diffs.words_diff(ONE, OTHER)
    assert (diff.is_too_different, diff.is_empty, diff.changes) == (True, False, [])


def test_a_thought_that_continues_the_other_is_diffed() -> None:
    diff = diffs.words_diff(ONE, ONE.replace("forty", "thirty") + " The second one is the cheapest.")
    assert not diff.is_too_different
    assert (diff.added, diff.removed) > (0, 0)


def test_very_short_texts_are_diffed_however_unlike() -> None:
    assert not diffs.words_diff("one", "two").is_too_different
    assert not diffs.words_diff("", OTHER).is_too_different
