"""Agreement of machines with people: each machine's label of a unit is compared with each person's.

A unit counts once, however many people labelled it, because it contributes the mean over them. Intervals come
from resampling whole trajectories, as for the agreement between people.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from trajectories.annotation.agreement import coefficients
from trajectories.annotation.agreement.coefficients import Estimate, Floats, Ratings, Sums
from trajectories.annotation.agreement.selectors import UnitLabels, has_option
from trajectories.annotation.agreement.table import (
    FEW,
    POSITIVES_MIN,
    FieldAgreement,
    Row,
    compute_distances,
    estimate_row,
)
from trajectories.annotation.codebook.types import Codebook, Field
from trajectories.annotation.labels.answers import make_comparable
from trajectories.models import Annotator

NO_UNITS = "No unit has been labelled by both people and the machine."
# The selections of a row's units that a page can list.
ALL, BOTH, MACHINE, PEOPLE = "all", "both", "machine", "people"
# Units to which the machine (``BY_MACHINE``) or people (``BY_PEOPLE``) gave the row's answer, whether or not
# the other side did too.
BY_MACHINE, BY_PEOPLE = "by_machine", "by_people"
_SIGNS = {BY_MACHINE: (BOTH, MACHINE), BY_PEOPLE: (BOTH, PEOPLE)}


@dataclass(frozen=True, kw_only=True)
class PairRatings(Ratings):
    """Ratings with a row for each pair of the machine and a person; the rows of a unit share its weight.

    When one answer is compared with all others, ``has_it`` holds 0 or 1 for the machine and for the person.
    """

    weights: Floats
    has_it: Floats

    @cached_property
    def parts(self) -> Floats:
        machine, person = self.has_it.T
        more = np.column_stack([machine, person, machine * person])
        return np.column_stack([super().parts, more]) * self.weights[:, None]


def precision(sums: Sums) -> Floats:
    """Return the share of people who also give the answer to units to which the machine gives it."""
    return coefficients.ratio(sums.rows[:, -1], sums.rows[:, -3])


def recall(sums: Sums) -> Floats:
    """Return the share of people's uses of the answer in which the machine gives it too."""
    return coefficients.ratio(sums.rows[:, -1], sums.rows[:, -2])


@dataclass(frozen=True, kw_only=True)
class MachineRow(Row):
    """A machine's agreement on a field or an answer.

    ``both``, ``machine`` and ``people`` count units by who gave the answer.
    """

    both: int | None = None
    machine: int | None = None
    people: int | None = None
    precision: Estimate | None = None
    recall: Estimate | None = None
    # People's agreement with each other, on all units that they labelled.
    people_alpha: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class UnitAnswers:
    """A unit with the machine's and the people's answers to a field."""

    field: Field
    unit: UnitLabels
    machine: Any
    people: list[Any]

    def sign(self, option: str) -> str:
        """Return who gave the answer: the machine, at least one person, both, or (if empty) nobody."""
        of_machine, of_people = has_option(self.machine, self.field, option), self.people_have(option)
        if of_machine:
            return BOTH if of_people else MACHINE
        return PEOPLE if of_people else ""

    def people_have(self, option: str) -> bool:
        return any(has_option(answer, self.field, option) for answer in self.people)


@dataclass(frozen=True, kw_only=True)
class FieldComparison:
    field: Field
    units: Sequence[UnitAnswers]
    people: FieldAgreement

    @cached_property
    def rows(self) -> list[MachineRow]:
        """The row for all answers together, followed by one row for each answer."""
        of_people = [self.people.whole, *self.people.answers]
        rows = [self._whole, *(self._answer(option.id, option.title) for option in self.field.options)]
        return [replace(row, people_alpha=one.alpha) for row, one in zip(rows, of_people, strict=True)]

    @property
    def _whole(self) -> MachineRow:
        if not self.units:
            return MachineRow(title="All together", reason=NO_UNITS)
        given = {make_comparable(answer) for unit in self.units for answer in (unit.machine, *unit.people)}
        is_set = self.field.is_set
        # Step numbers are answers that the codebook does not list.
        known = {option.id for option in self.field.options if not (is_set or option.is_step)}
        values: list[Any] = sorted(given | known, key=_order)
        ratings = self._ratings(values, compute_distances(values, self.field), make_comparable)
        return estimate_row(MachineRow(title="All together", units=len(self.units)), ratings, is_set=is_set)

    def _answer(self, option: str, title: str) -> MachineRow:
        signs = [unit.sign(option) for unit in self.units]
        row = MachineRow(
            title=title,
            option=option,
            units=len(self.units),
            both=signs.count(BOTH),
            machine=signs.count(MACHINE),
            people=signs.count(PEOPLE),
        )
        if not self.units:
            return replace(row, reason=NO_UNITS)
        if len(signs) - signs.count("") < POSITIVES_MIN:
            return replace(row, reason=FEW)
        ratings = self._ratings(
            [False, True],
            coefficients.nominal_distances(2),
            lambda answer: has_option(answer, self.field, option),
        )
        row = estimate_row(row, ratings, is_set=False)
        return replace(row, precision=ratings.estimate(precision), recall=ratings.estimate(recall))

    def _ratings(self, values: Sequence[Any], distances: Floats, read: Callable[[Any], Any]) -> PairRatings:
        places = {value: place for place, value in enumerate(values)}
        pairs = [
            (places[read(unit.machine)], places[read(answer)], 1 / len(unit.people), self._cluster(unit.unit))
            for unit in self.units
            for answer in unit.people
        ]
        machine, person = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
        ones = np.eye(len(values))
        return PairRatings(
            counts=ones[machine] + ones[person],
            distances=distances,
            clusters=[pair[3] for pair in pairs],
            weights=np.array([pair[2] for pair in pairs]),
            has_it=np.column_stack([machine == 1, person == 1]).astype(np.float64),
        )

    def _cluster(self, unit: UnitLabels) -> Hashable:
        return self.people.clusters.get(unit.unit, unit.episode)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A machine compared with people, field by field; fields that it does not answer are left out."""

    machine: Annotator
    units: Sequence[UnitLabels]
    fields: Sequence[FieldComparison]


def compare_machine(
    machine: Annotator, units: Sequence[UnitLabels], *, codebook: Codebook, people: Sequence[FieldAgreement]
) -> Comparison:
    """Compare a machine with people.

    ``units`` have the labels of both, and ``people`` is people's agreement with each other.
    """
    of_people = {agreement.field.id: agreement for agreement in people}
    fields = [
        FieldComparison(field=field, units=pair_answers(units, machine.pk, field), people=of_people[field.id])
        for field in codebook.fields
    ]
    return Comparison(machine=machine, units=units, fields=fields)


def pair_answers(units: Sequence[UnitLabels], machine: int, field: Field) -> list[UnitAnswers]:
    """Return the units for which both the machine and at least one other annotator answered the field."""
    answered = []
    for unit in units:
        given = {who: values[field.id] for who, values in unit.answers.items() if field.id in values}
        answer = given.pop(machine, None)
        if answer is not None and given:
            answered.append(UnitAnswers(field=field, unit=unit, machine=answer, people=list(given.values())))
    return answered


def filter_units(units: Sequence[UnitAnswers], *, option: str, sign: str) -> list[UnitLabels]:
    """Return the units behind a figure in a row."""
    signs = _SIGNS.get(sign, (sign,))
    return [unit.unit for unit in units if sign == ALL or unit.sign(option) in signs]


def keep_annotators(units: Sequence[UnitLabels], annotators: set[int]) -> list[UnitLabels]:
    """Keep only the labels of these annotators, and the units that have any."""
    narrowed = (
        replace(unit, answers={who: values for who, values in unit.answers.items() if who in annotators})
        for unit in units
    )
    return [unit for unit in narrowed if unit.answers]


def _order(value: Any) -> list[str]:
    return sorted(value) if isinstance(value, frozenset) else [str(value)]
