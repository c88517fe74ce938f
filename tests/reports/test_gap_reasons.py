"""Why a gap has no interval, and what a rung is of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reports.test_computation import assert_sound, correct_if, evaluation, tables_of
from trajectories.models import Episode

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "page", "note"),
    [
        (lambda *_: True, lambda *_: False, "every item differs by the same amount"),
        (lambda _, sample: sample > 0, lambda _, sample: sample > 1, "every item differs by the same amount"),
        (lambda _, sample: sample > 0, lambda _, sample: sample != 1, "no item differs between the two arms"),
        (lambda item, _: item > 3, lambda *_: True, "fewer than 10 items differ"),
    ],
)
def test_why_a_gap_has_no_interval_is_true(text: Any, page: Any, note: str) -> None:
    """Means of thirds are not exact: what rounding leaves of them is no variance."""
    report, _, _ = evaluation({"text_zero_shot": correct_if(text), "gym": correct_if(page)}, samples=3)

    tables = tables_of(report)

    for row in (*tables["gaps"]["rows"], *tables["rungs"]["rows"]):
        assert note in row["note"]
        assert (row["low"], row["high"], row["p"]) == (None, None, None)
    assert_sound(tables)


def test_a_rung_over_an_arm_that_was_not_played_says_all_that_it_spans() -> None:
    arms = {
        "text_zero_shot": correct_if(lambda item, _: item % 10 < 8),
        "text_agent": lambda *_: "",
        "gym_with_text": correct_if(lambda item, _: item % 10 < 6),
        "gym": correct_if(lambda item, _: item % 10 < 3),
    }
    report, runs, _ = evaluation(arms, items=100)
    Episode.objects.filter(run=runs["text_agent"]).delete()

    rows = tables_of(report)["rungs"]["rows"]

    assert [(row["rung"], row["gap"]) for row in rows] == [
        ("agent format", None),
        ("agent format + interaction", 20.0),
        ("finding and reading", 30.0),
        ("total", 50.0),
    ]
    assert rows[0]["note"] == "no episode of Text, agent format has begun"
