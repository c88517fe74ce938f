"""Made-up cases: times in milliseconds from an arbitrary start, pages called a, b, c."""

from __future__ import annotations

from typing import Any

import pytest

from trajectories.behaviour.dom_replay.placement import Moment, Piece, Turn, find_moment


def turn(index: int, seen: float | None, began: float | None = None, **fields: Any) -> Turn:
    began = seen if began is None else began
    return Turn(index=index, seen_ms=seen, began_ms=began, **fields)


def placed(*arguments: Any, **fields: Any) -> Moment:
    moment = find_moment(*arguments, **fields)
    assert isinstance(moment, Moment)
    return moment


ONE_TAB = [
    Piece("a", None, 10_000, 10_050),
    Piece("a", 1, 15_000, 15_100),
    Piece("b", 1, 15_300, 15_400),
    Piece("b", 2, 30_000, 30_200),
]


def test_a_step_is_placed_when_it_saw_the_page_and_not_when_it_acted() -> None:
    moment = placed(turn(1, 11_000, 14_900, ended_ms=15_600), ONE_TAB)

    assert (moment.page, moment.at_ms, moment.basis) == ("a", 11_000, "time")
    assert (moment.number, moment.loads) == (1, 2)
    assert moment.before_action_ms == 3_900
    assert moment.still_ms == 950


def test_a_page_that_the_step_loads_is_not_the_page_that_it_saw() -> None:
    moment = placed(turn(1, 11_000, 14_900, ended_ms=15_600), ONE_TAB)

    assert (moment.page, moment.until_ms) == ("a", 15_100)
    assert placed(turn(2, 15_600, 29_900, ended_ms=30_300), ONE_TAB).page == "b"


def test_playback_ends_with_the_step() -> None:
    assert placed(turn(2, 15_600, 29_900, ended_ms=30_100), ONE_TAB).until_ms == 30_100
    assert placed(turn(2, 15_600, 29_900), ONE_TAB).until_ms == 29_900


def test_a_step_without_events_sees_the_current_page() -> None:
    moment = placed(turn(3, 40_000, 41_000, ended_ms=42_000), ONE_TAB)

    assert (moment.page, moment.at_ms, moment.until_ms) == ("b", 40_000, 40_000)
    assert moment.still_ms == 9_800


TWO_TABS = [
    Piece("a", 1, 10_000, 10_100),
    Piece("b", 1, 12_000, 12_100),
    Piece("a", 2, 20_000, 20_100),
    Piece("b", 3, 30_000, 30_100),
]


@pytest.mark.parametrize(("index", "seen", "page"), [(2, 19_000, "a"), (3, 29_000, "b")])
def test_a_step_is_placed_in_the_tab_in_which_it_acts(index: int, seen: float, page: str) -> None:
    assert placed(turn(index, seen), TWO_TABS, acted_in={page}).page == page


def test_a_step_without_an_action_is_placed_in_the_tab_of_its_address() -> None:
    paths = {"a": "stays/1", "b": "stays/2"}

    assert placed(turn(2, 19_000, path="stays/1"), TWO_TABS, paths=paths).page == "a"
    assert placed(turn(2, 19_000, path="stays/2"), TWO_TABS, paths=paths).page == "b"


def test_without_other_evidence_a_step_is_placed_in_the_tab_that_changed_last() -> None:
    assert placed(turn(2, 19_000), TWO_TABS).page == "b"
    assert placed(turn(3, 25_000), TWO_TABS).page == "a"


def test_an_event_with_a_late_step_number_does_not_bring_back_an_earlier_page() -> None:
    assert placed(turn(2, 15_600, 29_900), ONE_TAB, acted_in={"a", "b"}).page == "b"


HOUR_MS = 3_600_000


@pytest.mark.parametrize("wrong", [-HOUR_MS, HOUR_MS])
def test_step_numbers_place_a_step_whose_clock_is_wrong(wrong: float) -> None:
    moment = placed(turn(2, 15_600 + wrong, 29_900 + wrong), ONE_TAB)

    assert (moment.page, moment.at_ms, moment.basis, moment.before_action_ms) == ("b", 15_400, "steps", None)


def test_step_numbers_place_a_step_without_times() -> None:
    moment = placed(Turn(index=2), ONE_TAB)

    assert (moment.page, moment.at_ms, moment.until_ms, moment.basis) == ("b", 15_400, 30_200, "steps")


def test_a_first_step_without_times_sees_the_first_page() -> None:
    moment = placed(Turn(index=1), [Piece("a", 1, 10_000, 10_050), Piece("b", 2, 15_000, 15_100)])

    assert (moment.page, moment.at_ms, moment.until_ms) == ("a", 10_000, 10_050)


def test_a_step_before_the_recording_is_not_shown_a_later_page() -> None:
    later = [Piece("c", 5, 50_000, 50_100)]

    assert find_moment(turn(1, 10_000), later) == "too_early"
    assert find_moment(Turn(index=1), later) == "too_early"


def test_a_moment_just_before_the_first_event_is_moved_to_it() -> None:
    assert placed(turn(1, 9_000), ONE_TAB).at_ms == 10_000


def test_a_step_that_cannot_be_placed_gets_a_reason() -> None:
    unnumbered = [Piece("a", None, 10_000, 10_050)]

    assert find_moment(turn(1, 5_000), []) == "nothing"
    assert find_moment(Turn(index=1), unnumbered) == "no_time"
    assert find_moment(turn(1, 5_000), unnumbered) == "too_early"


def test_a_page_without_recorded_events_is_not_replaced_by_another() -> None:
    paths = {"a": "", "b": "stays/1", "lost": "stays/2"}

    assert find_moment(turn(2, 20_000), ONE_TAB, acted_in={"lost"}) == "lost"
    assert find_moment(turn(2, 20_000, path="stays/2"), ONE_TAB, paths=paths) == "lost"
    assert placed(turn(2, 20_000, path="stays/1"), ONE_TAB, paths=paths).page == "b"
