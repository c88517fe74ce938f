from __future__ import annotations

import pytest

from trajectories.reports.labels import label_of


@pytest.mark.parametrize(
    ("column", "value", "label"),
    [
        ("arm", "gym", "Page"),
        ("contrast", "text_zero_shot − gym", "Text, zero-shot − Page"),
        ("contrast", "gym", "Page"),
        ("arm", "of another version", "of another version"),
        ("factor", "time_zone", "time zone"),
        ("model", "a_b", "a_b"),
    ],
)
def test_readers_meet_words_for_codes(column: str, value: str, label: str) -> None:
    assert label_of({column: value}, column) == label
