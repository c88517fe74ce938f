"""The units behind figures of agreement."""

from __future__ import annotations

import pytest

from tests.annotation.agreement.test_shift import kind, unit
from trajectories.annotation.agreement.selectors import PAIRED, RATED, WITH, filter_units_behind, is_apart
from trajectories.annotation.agreement.table import FieldAgreement
from trajectories.annotation.codebook.registry import build_codebook

UNITS = [
    unit(1, 1, kind("reasoning", "plan"), kind("reasoning")),
    unit(2, 1, kind("narration"), kind("reasoning")),
    unit(3, 2, kind("mixed", "plan"), kind("mixed", "plan")),
    unit(4, 2, kind("narration")),
    unit(5, 2, {"type": "empty"}, {"type": "empty"}),
]


@pytest.mark.parametrize(
    ("name", "option", "source", "numbers"),
    [
        ("type", "", PAIRED, [1, 2, 3, 5]),
        ("type", "", RATED, [1, 2, 3, 4, 5]),
        ("type", "narration", WITH, [2]),
        ("behaviours", "", PAIRED, [1, 2, 3]),
        ("behaviours", "plan", WITH, [1, 3]),
        ("behaviours", "", RATED, [1, 2, 3, 4]),
    ],
)
def test_a_figure_is_made_of_these_units(name: str, option: str, source: str, numbers: list[int]) -> None:
    field = build_codebook().field(name)
    assert field is not None
    assert [one.unit for one in filter_units_behind(UNITS, field, option=option, source=source)] == numbers


def test_the_lists_are_as_long_as_the_counts_of_the_table() -> None:
    for field in build_codebook().fields:
        table = FieldAgreement(field=field, units=UNITS)
        assert len(filter_units_behind(UNITS, field)) == table.whole.units
        for row in table.answers:
            positive = filter_units_behind(UNITS, field, option=row.option, source=WITH)
            assert (row.units, row.positives) in [
                (len(filter_units_behind(UNITS, field)), len(positive)),
                (0, 0),
            ]


def test_answers_are_apart_as_a_whole_or_on_one_option() -> None:
    both, kinds = build_codebook().field("behaviours"), build_codebook().field("type")
    assert both is not None
    assert kinds is not None
    assert [one.unit for one in UNITS if is_apart(one, both)] == [1]
    assert [one.unit for one in UNITS if is_apart(one, kinds)] == [2]
    assert [one.unit for one in UNITS if is_apart(one, kinds, option="mixed")] == []


def test_the_number_of_a_step_is_the_answer_that_stands_for_it() -> None:
    field = build_codebook("trajectory").field("first_wrong_step")
    assert field is not None
    units = [unit(1, 1, {field.id: 3}, {field.id: 4}), unit(2, 1, {field.id: "none"}, {field.id: 2})]
    assert [one.unit for one in filter_units_behind(units, field, option="step", source=WITH)] == [1, 2]
    assert [is_apart(one, field) for one in units] == [True, True]
    assert [is_apart(one, field, option="step") for one in units] == [False, True]
