"""Projects, which own runs, reports, exports and annotation projects.

Every key belongs to one project. What belongs to a run (episodes, groups, samplers) belongs to the run's
project. This module alone decides what a caller may see; SQL that repeats the rule takes the viewer's
``project``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeVar

from django.db.models import Model, QuerySet

from trajectories.models import (
    Abstraction,
    AnnotationProject,
    ApiKey,
    Episode,
    Export,
    Group,
    Intervention,
    Label,
    Report,
    RewardModel,
    RewardProfile,
    Run,
    Sampler,
)
from trajectories.models.access import DEFAULT_PROJECT

M = TypeVar("M", bound=Model)


class Viewer(Protocol):
    """A caller, with the limits on what it may see.

    If ``project`` is None, it sees rows of all projects; if ``splits`` is empty, tasks of all splits.
    """

    @property
    def project(self) -> str | None: ...

    @property
    def splits(self) -> frozenset[str]: ...


class Sight(NamedTuple):
    """A viewer as a plain value."""

    project: str | None = None
    splits: frozenset[str] = frozenset()


EVERYTHING = Sight()  # for people in the lab


class Place(NamedTuple):
    """The lookups from a model to its project and to its task's split.

    ``split`` is empty if the model's rows do not belong to one task each.
    """

    project: str
    split: str = ""


PLACES: Mapping[type[Model], Place] = {
    Run: Place("project"),
    Report: Place("project"),
    Export: Place("project"),
    RewardModel: Place("project"),
    RewardProfile: Place("project"),
    AnnotationProject: Place("project"),
    Label: Place("unit__project__project"),
    Sampler: Place("run__project"),
    Group: Place("run__project", "task__split"),
    Abstraction: Place("project", "task__split"),
    Intervention: Place("group__run__project", "group__task__split"),
    Episode: Place("run__project", "task__split"),
}


def names() -> list[str]:
    """Return the names of all projects, sorted: those that have keys, and the default project."""
    return sorted({DEFAULT_PROJECT, *ApiKey.objects.values_list("project", flat=True).distinct()})


def visible(rows: QuerySet[M], viewer: Viewer) -> QuerySet[M]:
    """Return the rows that the viewer may see; to the viewer, the others do not exist."""
    place = PLACES[rows.model]
    if viewer.project is not None:
        rows = rows.filter(**{place.project: viewer.project})
    if viewer.splits and place.split:
        rows = rows.filter(**{f"{place.split}__in": viewer.splits})
    return rows
