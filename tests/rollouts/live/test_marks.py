from __future__ import annotations

from trajectories.rollouts.live.watch import MISSING_STEPS_MAX, StepMarks


def test_each_step_is_taken_once_in_any_order() -> None:
    marks = StepMarks()
    assert [marks.take(1, index) for index in (3, 1, 3, 2, 1, 4)] == [True, True, False, True, False, True]
    assert marks.floors() == {1: 4}


def test_the_floor_stays_below_a_missing_step_until_it_arrives() -> None:
    marks = StepMarks()
    marks.take(1, 1)
    marks.take(1, 3)
    assert marks.floors() == {1: 1}
    assert marks.highest(1) == 3


def test_a_step_that_stays_missing_is_skipped() -> None:
    marks = StepMarks()
    for index in range(2, MISSING_STEPS_MAX + 3):
        marks.take(1, index)
    assert marks.floors() == {1: MISSING_STEPS_MAX + 2}
    assert not marks.take(1, 1)


def test_steps_from_before_the_start_are_not_taken() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    assert not marks.take(1, 5)
    assert marks.take(1, 6)


def test_restarting_does_not_skip_pending_steps() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    marks.begin({1: 9}, watched=[1])
    assert marks.take(1, 7)


def test_steps_stored_while_nobody_watched_are_not_taken() -> None:
    marks = StepMarks()
    marks.begin({1: 5})
    marks.begin({1: 9})
    assert not marks.take(1, 9)
    assert marks.highest(1) == 9


def test_marks_of_other_episodes_are_dropped() -> None:
    marks = StepMarks()
    marks.begin({1: 5, 2: 5})
    marks.keep([2, 3])
    assert marks.floors() == {2: 5}
    assert marks.highest(1) == 0
