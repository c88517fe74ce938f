"""The wait for requests that the server in this process is at."""

from __future__ import annotations

from tests.e2e.answers import Answering


def test_what_never_finishes_is_waited_for_once() -> None:
    answering = Answering()
    answering._begin()
    assert answering.wait(timeout_s=0) is False
    assert answering.wait(timeout_s=0) is True


def test_one_that_finishes_after_all_hides_no_later_one() -> None:
    answering = Answering()
    answering._begin()
    answering.wait(timeout_s=0)
    answering._end()
    answering._begin()
    assert answering.wait(timeout_s=0) is False
