"""The agreement of a machine with people, held against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from trajectories.annotation.agreement.selectors import UnitLabels
from trajectories.annotation.agreement.table import FEW, agreement
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.codebook.types import Codebook, Field, Option
from trajectories.annotation.machines.comparison import (
    BOTH,
    MACHINE,
    NO_UNITS,
    PEOPLE,
    Comparison,
    compare_machine,
    filter_units,
    keep_annotators,
)
from trajectories.models import Annotator

MACHINE_ID, ANN, BEN = 9, 1, 2


def unit(number: int, machine: str | None, *people: str, episode: int | None = None) -> UnitLabels:
    answers = {ANN + place: {"type": answer, "behaviours": []} for place, answer in enumerate(people)}
    if machine:
        answers[MACHINE_ID] = {"type": machine}
    where = number if episode is None else episode
    return UnitLabels(unit=number, episode=where, step=1, paragraph=0, answers=answers)


def compared(units: list[UnitLabels]) -> Comparison:
    codebook = build_codebook()
    people = agreement(keep_annotators(units, {ANN, BEN}), codebook)
    return compare_machine(Annotator(pk=MACHINE_ID), units, codebook=codebook, people=people)


R, N = "reasoning", "narration"
UNITS = [
    unit(number, machine, *people)
    for number, (machine, people) in enumerate(
        [(R, (R, R))] * 12
        + [(R, (R, N))] * 6
        + [(R, (N,))] * 4
        + [(N, (R,))] * 5
        + [(N, (N, N))] * 13
        + [(None, (R,))]
    )
]


def test_a_unit_counts_once_however_many_people_labelled_it() -> None:
    kind = next(one for one in compared(UNITS).fields if one.field.id == "type")
    whole, reasoning, *_ = kind.rows
    machine = np.repeat([1, 1, 1, 0, 0], [12, 6, 4, 5, 13])
    people = np.repeat([1, 0.5, 0, 1, 0], [12, 6, 4, 5, 13])
    assert (reasoning.units, reasoning.both, reasoning.machine, reasoning.people) == (40, 18, 4, 5)
    assert reasoning.precision.value == pytest.approx((machine * people).sum() / machine.sum())
    assert reasoning.recall.value == pytest.approx((machine * people).sum() / people.sum())
    raw = 1 - np.abs(machine - people).mean()
    assert whole.raw.value == pytest.approx(raw) == reasoning.raw.value
    share = (machine.mean() + people.mean()) / 2
    total = 2 * len(machine)
    chance = 2 * share * (1 - share) * total / (total - 1)
    assert whole.alpha.value == pytest.approx(1 - (1 - raw) / chance)
    assert reasoning.precision.low < reasoning.precision.value < reasoning.precision.high


def test_with_one_person_it_is_the_agreement_of_two_annotators() -> None:
    units = [one for one in UNITS if set(one.answers) == {MACHINE_ID, ANN}]
    units = [*units, *(unit(100 + place, R, R) for place in range(25))]
    whole = next(one for one in compared(units).fields if one.field.id == "type").rows[0]
    two = agreement(units, build_codebook())[0].whole
    assert (whole.raw, whole.alpha, whole.ac1) == (two.raw, two.alpha, two.ac1)


def test_every_figure_opens_its_units() -> None:
    kind = next(one for one in compared(UNITS).fields if one.field.id == "type")
    for sign, count in ((BOTH, 18), (MACHINE, 4), (PEOPLE, 5)):
        assert len(filter_units(kind.units, option=R, sign=sign)) == count


def test_few_positives_give_counts_and_fields_left_out_say_so() -> None:
    fields = {one.field.id: one for one in compared(UNITS).fields}
    mixed = next(row for row in fields["type"].rows if row.option == "mixed")
    assert (mixed.reason, mixed.alpha, mixed.both) == (FEW, None, 0)
    assert {row.reason for row in fields["target"].rows} == {NO_UNITS}


def test_numbers_of_steps_are_answers_too() -> None:
    option = Option(id="step", key="s", title="Step", definition="", positive=[], negative=[], is_step=True)
    field = Field(id="first", rank=1, title="First", question="", options=[option])
    answers = [{MACHINE_ID: {"first": 3}, ANN: {"first": 3 + place % 2}} for place in range(4)]
    units = [
        UnitLabels(unit=place, episode=place, step=0, paragraph=0, answers=given)
        for place, given in enumerate(answers)
    ]
    codebook = Codebook(unit="", fields=[field])
    people = agreement(keep_annotators(units, {ANN}), codebook)
    made = compare_machine(Annotator(pk=MACHINE_ID), units, codebook=codebook, people=people)
    whole, number = made.fields[0].rows
    assert whole.raw.value == 0.5
    # No answer but the numbers that were given, as among people.
    assert whole.ac1 == agreement(units, codebook)[0].whole.ac1
    assert (number.both, number.machine, number.people) == (4, 0, 0)


def test_intervals_widen_when_units_share_trajectories() -> None:
    apart = next(one for one in compared(UNITS).fields if one.field.id == "type").rows[1].recall
    shared = [
        unit(one.unit, *[values["type"] for values in _machine_first(one)], episode=one.unit // 6)
        for one in UNITS[:-1]
    ]
    together = next(one for one in compared(shared).fields if one.field.id == "type").rows[1].recall
    assert together.value == apart.value
    assert together.high - together.low > apart.high - apart.low


def test_intervals_widen_when_pairs_share_their_task() -> None:
    """Pairs have two trajectories each, so that none of them is a cluster."""
    tasks = {one.unit: f"task {one.unit // 6}" for one in UNITS}
    people = agreement(keep_annotators(UNITS, {ANN, BEN}), build_codebook(), clusters=tasks)
    made = compare_machine(Annotator(pk=MACHINE_ID), UNITS, codebook=build_codebook(), people=people)
    apart, together = (
        next(one for one in of.fields if one.field.id == "type").rows[1].recall
        for of in (compared(UNITS), made)
    )
    assert together.value == apart.value
    assert together.high - together.low > apart.high - apart.low


def _machine_first(one: UnitLabels) -> list[dict[str, str]]:
    return [one.answers[MACHINE_ID], *(values for who, values in one.answers.items() if who != MACHINE_ID)]
