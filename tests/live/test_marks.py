from __future__ import annotations

from trajectories.live.marks import GAP_STEPS_MAX, StepMarks


def test_each_step_is_told_once_in_whatever_order_it_comes() -> None:
    marks = StepMarks()
    assert [marks.take(1, index) for index in (3, 1, 3, 2, 1, 4)] == [True, True, False, True, False, True]
    assert marks.floors() == {1: 4}


def test_the_floor_stays_below_a_gap_so_that_it_can_be_filled() -> None:
    marks = StepMarks()
    marks.take(1, 1)
    marks.take(1, 3)
    assert marks.floors() == {1: 1}
    assert marks.highest(1) == 3


def test_a_gap_that_stays_is_given_up() -> None:
    marks = StepMarks()
    for index in range(2, GAP_STEPS_MAX + 3):
        marks.take(1, index)
    assert marks.floors() == {1: GAP_STEPS_MAX + 2}
    assert not marks.take(1, 1)


def test_steps_from_before_are_not_told() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    assert not marks.take(1, 5)
    assert marks.take(1, 6)


def test_beginning_again_does_not_skip_what_is_still_to_be_told() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    marks.begin({1: 9}, watched=[1])
    assert marks.take(1, 7)


def test_what_was_stored_while_nobody_watched_is_not_told() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    marks.begin({1: 9})
    assert not marks.take(1, 9)
    assert marks.highest(1) == 9


def test_what_is_not_kept_is_forgotten() -> None:
    marks = StepMarks()
    marks.begin({1: 5, 2: 5})
    marks.keep([2, 3])
    assert marks.floors() == {2: 5}
    assert marks.highest(1) == 0
