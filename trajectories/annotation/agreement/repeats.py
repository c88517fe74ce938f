"""Self-agreement: people's first answers about a unit compared with those at an unannounced repeat."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from trajectories.annotation.agreement.coefficients import Estimate
from trajectories.annotation.agreement.selectors import UnitLabels, read_clusters, read_labelled_units
from trajectories.annotation.agreement.table import POSITIVES_MIN, FieldAgreement
from trajectories.annotation.codebook.types import Codebook, Field
from trajectories.models import AnnotationProject, Annotator

FIRST, AGAIN = 0, 1


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person with their repeated units; ``annotator`` is None for all people together."""

    annotator: int | None
    name: str
    units: Sequence[UnitLabels]
    # The cluster of each unit; a unit that is missing here belongs to its trajectory's cluster.
    clusters: Mapping[int, Hashable] = dataclass_field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Self-agreement of one person in one field; if units are too few, it has counts only."""

    person: Person
    units: int
    same: int
    raw: Estimate | None = None
    alpha: Estimate | None = None
    reason: str = ""

    @property
    def other(self) -> int:
        return self.units - self.same


def read_repeated_people(project: AnnotationProject, *, view: str = "") -> list[Person]:
    """Return everyone who labelled repeated units and, if they are several, an entry for all of them."""
    again = read_labelled_units(project, view=view, is_repeat=True)
    if not again:
        return []
    first = {unit.unit: unit for unit in read_labelled_units(project, view=view)}
    pairs: dict[int, list[UnitLabels]] = {}
    for unit in again:
        given = first[unit.unit].answers if unit.unit in first else {}
        for annotator in unit.answers.keys() & given.keys():
            answers = {FIRST: given[annotator], AGAIN: unit.answers[annotator]}
            pairs.setdefault(annotator, []).append(replace(unit, answers=answers))
    names = Annotator.objects.in_bulk(list(pairs))
    clusters = read_clusters(project)
    people = [
        Person(annotator=annotator, name=names[annotator].name, units=units, clusters=clusters)
        for annotator, units in sorted(pairs.items())
    ]
    if len(people) > 1:
        together = [unit for person in people for unit in person.units]
        people.append(Person(annotator=None, name="All together", units=together, clusters=clusters))
    return people


def self_agreement(people: Sequence[Person], codebook: Codebook) -> list[tuple[Field, list[Row]]]:
    """Compute, for each field, one row for each person."""
    return [(field, [_row(person, field) for person in people]) for field in codebook.fields]


def filter_repeated_units(person: Person, field: Field, *, is_same: bool | None = None) -> list[UnitLabels]:
    """Return the units for which a person answered the field twice, without duplicates.

    ``is_same`` restricts them to those with the same answer both times (True) or different answers (False).
    """
    rated = [unit for unit in person.units if _is_rated(unit, field)]
    units = [unit for unit in rated if is_same is None or _is_same(unit, field) == is_same]
    return list({unit.unit: unit for unit in units}.values())


def _row(person: Person, field: Field) -> Row:
    units = [unit for unit in person.units if _is_rated(unit, field)]
    same = sum(_is_same(unit, field) for unit in units)
    if len(units) < POSITIVES_MIN:
        reason = f"Counts only: fewer than {POSITIVES_MIN} units."
        return Row(person=person, units=len(units), same=same, reason=reason)
    whole = FieldAgreement(field=field, units=units, clusters=person.clusters).whole
    return Row(
        person=person, units=len(units), same=same, raw=whole.raw, alpha=whole.alpha, reason=whole.reason
    )


def _is_rated(unit: UnitLabels, field: Field) -> bool:
    return all(field.id in answers for answers in unit.answers.values())


def _is_same(unit: UnitLabels, field: Field) -> bool:
    first, again = (unit.answers[time][field.id] for time in (FIRST, AGAIN))
    return bool(set(first) == set(again) if field.is_set else first == again)
