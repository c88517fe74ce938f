"""The figures of a project's agreement, cached in this process until they can change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trajectories.annotation.agreement.selectors import clusters_of, units_labelled
from trajectories.annotation.agreement.table import Cell, Nearness, Row, agreement
from trajectories.annotation.codebook.types import Field, Option, codebook_of
from trajectories.annotation.labels.versions import blind_state
from trajectories.models import AnnotationProject

REMEMBERED = 64


@dataclass(frozen=True, kw_only=True)
class FieldFigures:
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
    """The agreement in a view. Intervals of many units take seconds, so they are computed once for the labels
    and golds that there are."""
    return _figures(project.pk, str(view), blind_state(project))


@lru_cache(maxsize=REMEMBERED)
def _figures(project_id: int, view: str, state: Hashable) -> Figures:
    project = AnnotationProject.objects.select_related("codebook").get(pk=project_id)
    units = units_labelled(project, view=view)
    codebook = codebook_of(project.codebook)
    fields = agreement(units, codebook, clusters=clusters_of(project))
    return Figures(
        units=len(units),
        trajectories=len({unit.episode for unit in units}),
        fields=[
            FieldFigures(
                field=one.field,
                whole=one.whole,
                answers=one.answers,
                matrix=one.matrix,
                nearness=one.nearness,
            )
            for one in fields
        ],
    )
