"""The agreement of a project: by field, by answer, and as a matrix of answers; cached until it can change."""

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

# The coefficients of an answer that fewer units have say nothing.
POSITIVES_MIN = 20
REMEMBERED = 64
NO_PAIRS = "No unit has the labels of two people yet."
ALL_SAME = "Undefined: everyone gave the same answer to every unit, so chance would agree as well."
FEW = f"Counts only: fewer than {POSITIVES_MIN} units have it."


@dataclass(frozen=True, kw_only=True)
class Row:
    """Coefficients of a field, or of the answer ``option``; ``reason`` says why some are missing."""

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
    """Number of pairs of people who gave these two answers to the same unit."""

    other: Option
    count: int


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """Closeness of step numbers over ``pairs`` of labels that both name one.

    ``same`` pairs name the same step, ``near`` ones the same or adjacent steps.
    """

    pairs: int
    same: int
    near: int


@dataclass(frozen=True, kw_only=True)
class FieldAgreement:
    """``clusters`` by unit, where they are not the trajectories."""

    field: Field
    units: Sequence[UnitLabels]
    clusters: Mapping[int, Hashable] = dataclass_field(default_factory=dict)

    @cached_property
    def _rated(self) -> list[tuple[UnitLabels, list[Any]]]:
        """Units with the answers that were given to this field."""
        return [(unit, answers) for unit in self.units if (answers := unit.answers_to(self.field))]

    @cached_property
    def whole(self) -> Row:
        """All answers of the field together; sets of answers by MASI."""
        values = self._sets if self.field.is_set else [*self._options, *self._numbers]
        ratings = self._ratings(values, compute_distances(values, self.field), make_comparable)
        return _row(self.field.title, ratings, is_set=self.field.is_set)

    @cached_property
    def answers(self) -> list[Row]:
        """Each answer against all others."""
        distances = coefficients.nominal_distances(2)
        return [
            _row_of_answer(option, self._ratings([False, True], distances, self._has(option)))
            for option in self.field.options
        ]

    @cached_property
    def matrix(self) -> list[tuple[Option, list[Cell]]]:
        """Pairs of answers of different people to the same unit; empty for fields with sets of answers."""
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
        """Closeness of the steps that people name; None for fields without steps, or without pairs."""
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
        """Answers that are not step numbers."""
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
    """Set up the agreement on each field of the codebook."""
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
    """Return the row with its raw agreement, alpha and AC1 (None for sets, whose distances it ignores)."""
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
    """Figures of a ``FieldAgreement``, without the labels from which they follow."""

    field: Field
    whole: Row
    answers: Sequence[Row]
    matrix: Sequence[tuple[Option, Sequence[Cell]]]
    nearness: Nearness | None


@dataclass(frozen=True, kw_only=True)
class Figures:
    """``units`` and ``trajectories`` are counts."""

    units: int
    trajectories: int
    fields: Sequence[FieldFigures]


def figures(project: AnnotationProject, *, view: str) -> Figures:
    """Return the agreement in a view, computed once for the present labels and golds.

    Intervals of many units take seconds.
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
