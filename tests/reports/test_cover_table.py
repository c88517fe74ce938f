"""What pop-ups take from pictures is told apart from what pixels take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.episodes.presentation import Look
from tests.reports.test_computation import assert_sound, correct_if, evaluation, tables_of
from trajectories.models import Episode

pytestmark = pytest.mark.django_db

SAMPLES = 4


def is_under(sample: int) -> bool:
    """Whether the look of a sample has pop-ups: every second one has."""
    return sample % 2 == 1


def computed(pictured: Callable[[int, int], bool], *, arm: str = "gym:som-v1") -> dict[str, Any]:
    arms = {"gym": correct_if(lambda item, _: item % 10 < 8), arm: correct_if(pictured)}
    report, _, _ = evaluation(arms, items=60, samples=SAMPLES, observation="axtree-v2")
    for number, schedule in enumerate(("none", "often") * 2):
        look = Look(pop_ups=schedule, zoom=(90, 100, 110, 125)[number])
        of_sample = Episode.objects.filter(run__report=report, sample_index=number)
        of_sample.update(presentation=look.as_dict(), presentation_hash=look.digest())
    return tables_of(report)


def test_a_loss_under_pop_ups_alone_is_no_loss_of_pixels() -> None:
    tables = computed(lambda item, sample: item % 10 < (5 if is_under(sample) else 8))

    rows = tables["pop_ups"]["rows"]
    assert [(row["rung"], row["gap"], row["items"]) for row in rows] == [
        ("pixels, nothing over the page", 0.0, 60),
        ("pixels, pop-ups over the page", 30.0, 60),
        ("pop-ups over pictures", 30.0, 60),
    ]
    (rung,) = [row for row in tables["rungs"]["rows"] if row["rung"] == "pixels"]
    assert rung["gap"] == 15.0
    assert rows[1]["low"] < 30 < rows[1]["high"]
    assert_sound({"pop_ups": tables["pop_ups"]})


def test_a_loss_of_pixels_is_the_same_under_pop_ups() -> None:
    rows = computed(lambda item, _: item % 10 < 6)["pop_ups"]["rows"]
    assert [row["gap"] for row in rows] == [20.0, 20.0, 0.0]


def test_a_report_without_pictures_has_no_such_table() -> None:
    assert "pop_ups" not in computed(lambda item, _: item % 10 < 6, arm="gym_with_text")
