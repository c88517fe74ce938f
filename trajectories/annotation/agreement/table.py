"""A project's agreement by field, by answer and as a matrix of answers, cached until its labels change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np

from trajectories.annotation.agreement import coefficients
from trajectories.annotation.agreement.coefficients import Estimate, Floats, Ratings
from trajectories.annotation.agreement.selectors import (
    UnitLabels,
    has_option,
    read_clusters,
    read_labelled_units,
)
from trajectories.annotation.codebook.types import Codebook, Field, Option, load_codebook
from trajectories.annotation.labels.answers import make_comparable
from trajectories.annotation.labels.versions import read_blind_state
from trajectories.models import AnnotationProject

# An answer given to fewer units has no meaningful coefficients.
POSITIVES_MIN = 20
REMEMBERED = 64
NO_PAIRS = "No unit has been labelled by two people yet."
ALL_SAME = "Undefined: everyone gave every unit the same answer, so chance alone would agree as well."
FEW = f"Counts only: fewer than {POSITIVES_MIN} units have it."


@dataclass(frozen=True, kw_only=True)
class Row:
    """Coefficients of a field or of its answer ``option``; ``reason`` explains why some are missing."""

    title: str
    units: int = 0
    option: str = ""
    positives: int | None = None
    reason: str = ""
    raw: Estimate | None = None
    alpha: Estimate | None = None
    ac1: Estimate | None = None
    positive: Estimate | None = None
    prevalence: Estimate | None = None


AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The number of times that two people gave these two answers to the same unit."""

    other: Option
    count: int


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """Closeness of step numbers, as counts of label pairs.

    ``pairs`` counts those in which both labels name a step, ``same`` those that name the same step, and
    ``near`` those that name the same or adjacent steps.
    """

    pairs: int
    same: int
    near: int


@dataclass(frozen=True, kw_only=True)
class FieldAgreement:
    """The agreement on one field.

    ``clusters`` maps units to their clusters; a unit that is missing there belongs to its trajectory's
    cluster.
    """

    field: Field
    units: Sequence[UnitLabels]
    clusters: Mapping[int, Hashable] = dataclass_field(default_factory=dict)

    @cached_property
    def _rated(self) -> list[tuple[UnitLabels, list[Any]]]:
        """Units that have answers to this field, with those answers."""
        return [(unit, answers) for unit in self.units if (answers := unit.answers_to(self.field))]

    @cached_property
    def whole(self) -> Row:
        """The row for all answers of the field together; sets of answers are compared by MASI distance."""
        values = self._sets if self.field.is_set else [*self._options, *self._numbers]
        ratings = self._ratings(values, compute_distances(values, self.field), make_comparable)
        return _row(self.field.title, ratings, is_set=self.field.is_set)

    @cached_property
    def answers(self) -> list[Row]:
        """One row for each answer, contrasted with all other answers together."""
        distances = coefficients.nominal_distances(2)
        return [
            _row_of_answer(option, self._ratings([False, True], distances, self._has(option)))
            for option in self.field.options
        ]

    @cached_property
    def matrix(self) -> list[tuple[Option, list[Cell]]]:
        """Counts of two people's answer pairs to the same unit; empty for fields with sets of answers."""
        if self.field.is_set:
            return []
        counts: dict[tuple[str, str], int] = {}
        for _, answers in self._rated:
            for one, other in combinations(map(self._option_of, answers), 2):
                counts[one, other] = counts.get((one, other), 0) + 1
                if one != other:
                    counts[other, one] = counts.get((other, one), 0) + 1
        options = self.field.options
        return [
            (option, [Cell(other=other, count=counts.get((option.id, other.id), 0)) for other in options])
            for option in options
        ]

    @cached_property
    def nearness(self) -> Nearness | None:
        """Closeness of the steps that people name; None if no two people named a step of the same unit."""
        gaps = [
            abs(one - other)
            for _, answers in self._rated
            for one, other in combinations(answers, 2)
            if isinstance(one, int) and isinstance(other, int)
        ]
        return (
            Nearness(pairs=len(gaps), same=gaps.count(0), near=gaps.count(0) + gaps.count(1))
            if gaps
            else None
        )

    @property
    def _options(self) -> list[str]:
        """The answers other than step numbers."""
        return [option.id for option in self.field.options if not option.is_step]

    @cached_property
    def _numbers(self) -> list[int]:
        given = {answer for _, answers in self._rated for answer in answers if isinstance(answer, int)}
        return sorted(given)

    def _has(self, option: Option) -> Callable[[Any], bool]:
        return lambda answer: has_option(answer, self.field, option.id)

    def _option_of(self, answer: Any) -> Any:
        option = self.field.step_option
        return option.id if option and isinstance(answer, int) else answer

    @cached_property
    def _sets(self) -> list[frozenset[str]]:
        return sorted(
            {make_comparable(answer) for _, answers in self._rated for answer in answers}, key=sorted
        )

    def _ratings(self, values: Sequence[Any], distances: Floats, read: Callable[[Any], Any]) -> Ratings:
        rows = [[read(answer) for answer in answers] for _, answers in self._rated]
        counts = np.array([[row.count(value) for value in values] for row in rows], dtype=np.float64)
        clusters = [self.clusters.get(unit.unit, unit.episode) for unit, _ in self._rated]
        return Ratings(counts=counts.reshape(len(rows), len(values)), distances=distances, clusters=clusters)


def agreement(
    units: Sequence[UnitLabels], codebook: Codebook, *, clusters: Mapping[int, Hashable] | None = None
) -> list[FieldAgreement]:
    """Return the agreement on each field of the codebook; its figures are computed when they are read."""
    return [FieldAgreement(field=field, units=units, clusters=clusters or {}) for field in codebook.fields]


def compute_distances(values: Sequence[Any], field: Field) -> Floats:
    """Return the distances between a field's answers: MASI for sets, otherwise 0 or 1."""
    if field.is_set:
        return coefficients.masi_distances(values)
    return coefficients.nominal_distances(len(values))


def _row(title: str, ratings: Ratings, *, is_set: bool) -> Row:
    if not ratings.pairs:
        return Row(title=title, reason=NO_PAIRS)
    return estimate_row(Row(title=title, units=ratings.pairs), ratings, is_set=is_set)


def estimate_row(row: AnyRow, ratings: Ratings, *, is_set: bool) -> AnyRow:
    """Return the row with its raw agreement, alpha and AC1 (None for sets, since AC1 ignores distances)."""
    alpha = ratings.estimate(coefficients.alpha(ratings.distances))
    return replace(
        row,
        reason=ALL_SAME if alpha.value is None else "",
        raw=ratings.estimate(coefficients.raw_agreement),
        alpha=alpha,
        ac1=None if is_set else ratings.estimate(coefficients.ac1),
    )


def _row_of_answer(option: Option, ratings: Ratings) -> Row:
    paired = ratings.counts[ratings.counts.sum(axis=1) >= 2]
    positives = int(np.count_nonzero(paired[:, 1]))
    if ratings.pairs and positives < POSITIVES_MIN:
        return Row(title=option.title, option=option.id, units=ratings.pairs, positives=positives, reason=FEW)
    row = replace(_row(option.title, ratings, is_set=False), option=option.id, positives=positives)
    if not ratings.pairs:
        return row
    return replace(
        row,
        positive=ratings.estimate(coefficients.positive_agreement),
        prevalence=ratings.estimate(coefficients.prevalence),
    )


class FieldFigures(NamedTuple):
    """Figures of a ``FieldAgreement``, without the labels from which they were computed."""

    field: Field
    whole: Row
    answers: Sequence[Row]
    matrix: Sequence[tuple[Option, Sequence[Cell]]]
    nearness: Nearness | None


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The agreement on all fields, with the numbers of units and trajectories behind it."""

    units: int
    trajectories: int
    fields: Sequence[FieldFigures]


def figures(project: AnnotationProject, *, view: str) -> Figures:
    """Return the agreement in a view, cached until labels or golds change.

    With many units, computing the intervals takes seconds.
    """
    return _figures(project.pk, str(view), read_blind_state(project))


@lru_cache(maxsize=REMEMBERED)
def _figures(project_id: int, view: str, state: Hashable) -> Figures:
    project = AnnotationProject.objects.select_related("codebook").get(pk=project_id)
    units = read_labelled_units(project, view=view)
    codebook = load_codebook(project.codebook)
    fields = agreement(units, codebook, clusters=read_clusters(project))
    return Figures(
        units=len(units),
        trajectories=len({unit.episode for unit in units}),
        fields=[FieldFigures(*(getattr(field, name) for name in FieldFigures._fields)) for field in fields],
    )
