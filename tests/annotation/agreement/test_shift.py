from __future__ import annotations

import pytest

from trajectories.annotation.agreement.coefficients import mean
from trajectories.annotation.agreement.selectors import UnitLabels
from trajectories.annotation.agreement.shift import Shift, shifts
from trajectories.annotation.codebook.registry import build_codebook


def unit(number: int, episode: int, *answers: dict[str, object]) -> UnitLabels:
    return UnitLabels(
        unit=number, episode=episode, step=number, paragraph=0, answers=dict(enumerate(answers))
    )


def kind(name: str, *behaviours: str) -> dict[str, object]:
    return {"type": name, "behaviours": list(behaviours)}


def by_field(first: list[UnitLabels], other: list[UnitLabels]) -> dict[str, Shift]:
    return {shift.field.id: shift for shift in shifts(first, other, build_codebook())}


def test_labels_of_the_same_unit_are_compared_between_views_and_within_the_first() -> None:
    first = [
        unit(1, 1, kind("reasoning"), kind("reasoning")),
        unit(2, 2, kind("reasoning"), kind("narration")),
        unit(3, 3, kind("empty")),
    ]
    other = [
        unit(1, 1, kind("narration"), kind("narration")),
        unit(2, 2, kind("narration")),
        unit(4, 4, kind("empty")),
    ]
    shift = by_field(first, other)["type"]
    # All of the first unit's four pairs differ, and one of the second unit's two.
    assert shift.changed.value == pytest.approx((1 + 0.5) / 2)
    assert shift.within.value == pytest.approx((0 + 1) / 2)
    assert shift.excess.value == pytest.approx(0.25)
    counts = {(one.name, cell.name): count for one, cells in shift.matrix for cell, count in cells if count}
    assert counts == {("reasoning", "narration"): 5, ("narration", "narration"): 1}
    assert [one.unit for one in shift.filter_units_with(one="narration", other="narration")] == [2]


def test_sets_are_compared_as_a_whole_and_missing_answers_not_at_all() -> None:
    first = [unit(1, 1, kind("reasoning", "verify", "plan")), unit(2, 1, {"type": "empty"})]
    other = [unit(1, 1, kind("reasoning")), unit(2, 1, kind("reasoning", "plan"))]
    shift = by_field(first, other)["behaviours"]
    assert len(shift.units) == 1
    assert [(one.name, one.title) for one, _ in shift.matrix] == [
        ("", "none"),
        ("plan,verify", "Plan, Verify"),
    ]
    assert (shift.changed.value, shift.changed.low) == (1.0, None)
    assert by_field(first, other)["contradiction"].changed.value is None


def test_intervals_are_of_whole_trajectories() -> None:
    values = [0.0, 1.0] * 20
    apart = mean(values, clusters=range(40))
    together = mean(values, clusters=[place % 2 for place in range(40)])
    assert apart.value == together.value == 0.5
    assert (together.low, together.high) == (0.0, 1.0)
    assert 0.3 < apart.low < 0.5 < apart.high < 0.7
