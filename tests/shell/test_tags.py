from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from trajectories.shell import tags
from trajectories.shell.text.actions import Phrase, action_phrase, name_element
from trajectories.shell.text.untrusted import visible_html

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(1, "just now"), (90, "1 min ago"), (7_300, "2 h ago"), (-90_000, "in 1 d"), (86_400 * 400, "1 y ago")],
)
def test_times_are_shown_relative_to_now(seconds: int, expected: str) -> None:
    html = tags.when(NOW - timedelta(seconds=seconds), NOW)
    assert expected in html
    assert "UTC" in html


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "–"), (3.4, "3 ms"), (1_500, "1.5 s"), (59_999.9, "60.0 s"), (61_000, "1 min 1 s")],
)
def test_durations_are_shown_in_the_most_readable_unit(value: float | None, expected: str) -> None:
    assert tags.milliseconds(value) == expected


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, "0%"), (1.0, "100%"), (0.995, "99.5%"), (0.5, "50.0%"), (0.0001, "<0.1%")]
)
def test_a_share_that_is_not_whole_never_reads_as_all_or_none(share: float, expected: str) -> None:
    assert tags.percent(share) == expected


def test_untrusted_text_is_escaped_and_shows_invisible_characters() -> None:
    html = visible_html("<b>\u202e\u200b & /e/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/ fine\n\tתודה")
    assert html.startswith("&lt;b&gt;")
    assert "\u202e" not in html
    assert "U+202E" in html
    assert "U+200B" in html
    assert "AAAA" not in html
    assert html.endswith("fine\n\tתודה")


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "target": "e1"}, Phrase(verb="click", where="e1")),
        (
            {"type": "click", "target": "e1", "button": "right", "double": True},
            Phrase(verb="click", manner="right button, double", where="e1"),
        ),
        ({"type": "click", "button": {}, "double": "no"}, Phrase(verb="click")),
        ({"type": "type", "target": "e7", "text": "42"}, Phrase(verb="type", what="42", where="e7")),
        ({"type": "wait", "ms": 500}, Phrase(verb="wait", what="500 ms")),
        ({"type": ["x"], "target": {"a": 1}}, Phrase(verb="['x']", where='{"a": 1}')),
        ({"text": "no type"}, Phrase(verb="untyped")),
        (None, Phrase(verb="no action")),
        ("click", Phrase(verb="no action")),
    ],
)
def test_every_action_has_a_phrase(action: object, expected: Phrase) -> None:
    assert action_phrase(action) == expected


def test_the_target_is_looked_up_in_the_observation() -> None:
    seen = '[e1] heading "e7 is not here"\n  [e17] link "No"\n  [e7] textbox "Answer"'
    assert name_element({"target": "e7"}, in_observation=seen) == '[e7] textbox "Answer"'
    assert name_element({"target": "e9"}, in_observation=seen) == ""
    assert name_element({"target": ".*"}, in_observation=seen) == ""
    assert name_element(None, in_observation=seen) == ""
