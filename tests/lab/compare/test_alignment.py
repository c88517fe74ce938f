"""Aligning made-up sequences of steps: a letter is a place, a digit an action there."""

from __future__ import annotations

import pytest

from trajectories.lab.compare import alignment
from trajectories.lab.compare.alignment import Key, align, first_divergence


def keys(text: str, *, look: str = "") -> list[Key]:
    """``a1 b2``: action 1 at place a of page a. ``look`` makes places of the same pages differ."""
    return [Key(place=look + word[0], page=word[0], action=word[1:]) for word in text.split()]


def shown(*texts: str) -> list[str]:
    """Each row as the names of its cells, ``-`` for an empty one, and the first letter of its kind."""
    words = [text.split() for text in texts]
    return [
        " ".join("-" if cell is None else words[column][cell] for column, cell in enumerate(row.cells))
        + f" {row.kind[0]}"
        for row in align([keys(text) for text in texts])
    ]


def test_equal_sequences_are_equal_rows() -> None:
    assert shown("a1 b2 c3", "a1 b2 c3") == ["a1 a1 s", "b2 b2 s", "c3 c3 s"]
    assert first_divergence(align([keys("a1"), keys("a1")])) is None


def test_different_actions_at_the_same_place_share_a_row() -> None:
    assert shown("a1 b2 c3", "a1 b9 c3") == ["a1 a1 s", "b2 b9 d", "c3 c3 s"]


def test_a_detour_has_its_own_rows_and_later_steps_are_aligned_again() -> None:
    assert shown("a1 b2 c3", "a1 x5 y6 b2 c3") == ["a1 a1 s", "- x5 d", "- y6 d", "b2 b2 s", "c3 c3 s"]


def test_an_action_done_later_is_aligned_with_itself_and_not_in_order() -> None:
    assert shown("a1 a2", "a2 a3") == ["a1 - d", "a2 a2 s", "- a3 d"]


def test_a_shorter_sequence_leaves_cells_empty() -> None:
    assert shown("a1", "a1 b2") == ["a1 a1 s", "- b2 d"]


def test_a_third_and_fourth_sequence_join_the_matching_rows() -> None:
    aligned = shown("a1 b2 c3", "a1 c3", "a1 b2 c3", "a1 b4 c3")
    assert aligned == ["a1 a1 a1 a1 s", "b2 - b2 b4 d", "c3 c3 c3 c3 s"]


def test_the_same_action_in_another_look_is_alike() -> None:
    rows = align([keys("a1 b2"), keys("a1 b2", look="dark")])
    assert [row.kind for row in rows] == ["alike", "alike"]
    assert first_divergence(rows) is None


def test_unknown_places_match_no_place() -> None:
    rows = align([[Key(action="1")], [Key(action="1")]])
    assert [row.kind for row in rows] == ["differs"]


def test_an_empty_sequence_has_an_empty_column() -> None:
    assert shown("", "a1") == ["- a1 d"]
    assert align([[], []]) == []


@pytest.mark.parametrize("cells", [0, 4, 100_000])
def test_no_step_is_lost_or_moved_whatever_the_limit(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(alignment, "CELLS_MAX", cells)
    texts = ["a1 b2 c3 d4 e5 a1 f6 g7 b2", "x0 c3 b2 d4 y1 f6 a1 a1", "d4 d4 g7 c3"]
    rows = align([keys(text) for text in texts])
    for column, text in enumerate(texts):
        places = [row.cells[column] for row in rows if row.cells[column] is not None]
        assert places == list(range(len(text.split())))


def test_long_sequences_are_aligned_at_elements_unique_to_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "CELLS_MAX", 16)
    noise = "a1 b2 a1 b2 a1 b2"
    aligned = shown(f"p0 {noise} m7 {noise} q0", f"r0 b2 b2 m7 {noise} s0")
    assert "m7 m7 s" in aligned


def test_thousands_of_steps_are_aligned_within_the_limit() -> None:
    long = keys(" ".join(f"{'abc'[n % 3]}{n % 7}" for n in range(3000)))
    rows = align([long, keys("z9") + long[5:]])
    assert len(rows) >= 3000
