"""Projects, which own runs, reports, exports and annotation projects.

Every key is of one project. What belongs to a run (episodes, groups, samplers) is of the run's project. This
is the one place that says what a caller may see; where SQL says it again, it takes the viewer's ``project``.
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
    """A caller.

    Without a ``project`` it sees rows of all projects, without ``splits`` the tasks of all splits.
    """

    @property
    def project(self) -> str | None: ...

    @property
    def splits(self) -> frozenset[str]: ...


class Sight(NamedTuple):
    """A viewer as a plain value."""

    project: str | None = None
    splits: frozenset[str] = frozenset()


EVERYTHING = Sight()  # of people in the lab


class Place(NamedTuple):
    """The lookups from a model to its project, and to its task's split if its rows are of one task."""

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
    """Return all projects by name: those of keys, and the default."""
    return sorted({DEFAULT_PROJECT, *ApiKey.objects.values_list("project", flat=True).distinct()})


def visible(rows: QuerySet[M], viewer: Viewer) -> QuerySet[M]:
    """Return the rows that the viewer may see; the others do not exist for it."""
    place = PLACES[rows.model]
    if viewer.project is not None:
        rows = rows.filter(**{place.project: viewer.project})
    if viewer.splits and place.split:
        rows = rows.filter(**{f"{place.split}__in": viewer.splits})
    return rows
