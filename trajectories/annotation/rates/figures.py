"""The figures of a project's rates, cached in this process until they can change."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.sql import Statement
from trajectories.annotation.codebook.types import codebook_of
from trajectories.annotation.rates.prediction import CorrectedRate
from trajectories.annotation.rates.selectors import Choice, rate_units
from trajectories.annotation.rates.success import Association
from trajectories.annotation.rates.table import GROUPINGS, Grouping, RateRow, Rates
from trajectories.models import AnnotationProject, Annotator

REMEMBERED = 64
_STATE = Statement(__file__, "state")


@dataclass(frozen=True, kw_only=True)
class GroupCorrection:
    """The rate of a group by a machine's labels."""

    key: str
    label: str
    corrected: CorrectedRate


@dataclass(frozen=True, kw_only=True)
class RateFigures:
    """Figures of ``Rates``, without the units from which they follow; ``corrected`` by machine."""

    rows: Sequence[RateRow]
    common_weight: float | None
    successes: Sequence[tuple[str, Association]]
    corrected: Mapping[int, Sequence[GroupCorrection]]


def figures(project: AnnotationProject, *, choice: Choice, grouping: Grouping) -> RateFigures:
    """Return the figures, computed once for the present labels and verdicts: many units take seconds."""
    machines = Annotator.objects.filter(project=project).exclude(kind=Annotator.Kind.PERSON)
    numbers = tuple(machines.order_by("pk").values_list("pk", flat=True))
    return _figures(project.pk, tuple(choice), grouping.id, numbers, _STATE.row(project=project.pk))


@lru_cache(maxsize=REMEMBERED)
def _figures(
    project_id: int,
    choice: tuple[tuple[str, str], ...],
    grouping_id: str,
    machines: tuple[int, ...],
    state: Hashable,
) -> RateFigures:
    project = AnnotationProject.objects.select_related("codebook").get(pk=project_id)
    units = rate_units(project, codebook=codebook_of(project.codebook), choice=choice)
    rates = Rates(units=units, grouping=GROUPINGS[grouping_id])
    return RateFigures(
        rows=rates.rows,
        common_weight=rates.common_weight,
        successes=rates.successes,
        corrected={
            machine: [
                GroupCorrection(key=group.key, label=group.label, corrected=made)
                for group, made in rates.corrected(machine)
            ]
            for machine in machines
        },
    )
