"""The wait for requests that the server in this process is at."""

from __future__ import annotations

from tests.e2e.answers import Answering


def test_an_unfinished_load_is_waited_for_once() -> None:
    answering = Answering()
    answering._begin()
    assert answering.wait(timeout_s=0) is False
    assert answering.wait(timeout_s=0) is True


def test_a_late_finish_does_not_hide_the_next_load() -> None:
    answering = Answering()
    answering._begin()
    answering.wait(timeout_s=0)
    answering._end()
    answering._begin()
    assert answering.wait(timeout_s=0) is False
