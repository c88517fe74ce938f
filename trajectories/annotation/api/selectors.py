"""Labels as the API returns them: each annotator's newest of a unit, without skips and repeats."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.errors import GymError
from trajectories.annotation.api.records import LabelRecord, UnitRecord
from trajectories.annotation.columns import COLUMNS
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.consensus import consensus
from trajectories.models import AnnotationProject, AnnotationUnit, Episode, Label
from trajectories.record import projects
from trajectories.record.api.auth import Principal

OF_LABEL = {"id": "pk", "project": "unit__project_id"}
PATHS = [OF_LABEL.get(name) or COLUMNS[name].path for name in LabelRecord.__struct_fields__]
# Of the number of a step, which is an answer too.
STEP_DIGITS = 9
UNIT = tuple(name for name in UnitRecord.__struct_fields__ if name not in ("consensus", "labels"))


def label_list(
    *,
    principal: Principal,
    after: int,
    limit: int,
    project: int | None = None,
    episode: int | None = None,
    answer: tuple[str, str] | None = None,
    **filters: Any,
) -> list[dict[str, Any]]:
    """Up to ``limit`` labels by id, and one more if there is a next page.

    Further filters are layer, annotator_kind, and of the episode: run and arm.
    """
    labels = projects.visible(versions.newest_done().filter(pk__gt=after), principal)
    if project is not None:
        labels = labels.filter(unit__project_id=project)
    if episode is not None:
        labels = labels.filter(unit_id__in=_units_of(episode, principal))
    if answer is not None:
        field, option = answer
        given = Q(values__contains={field: option}) | Q(values__contains={field: [option]})
        if option.isascii() and option.isdigit():
            given |= Q(values__contains={field: int(option[:STEP_DIGITS])})
        labels = labels.filter(given)
    for name, column in (("layer", "layer"), ("annotator_kind", "annotator__kind")):
        if name in filters:
            labels = labels.filter(**{column: filters[name]})
    of_episode = {name: filters[name] for name in ("run", "arm") if name in filters}
    if of_episode or principal.splits:
        episodes = projects.visible(Episode.objects.all(), principal).filter(
            pk=OuterRef("unit__episode_id"), **of_episode
        )
        labels = labels.filter(Exists(episodes))
    return _records(labels.order_by("pk")[: limit + 1])


def episode_labels(episode_id: int, *, principal: Principal) -> list[dict[str, Any]]:
    """Return the labelled units of an episode, in the order of its steps.

    Labels outlive the episode: after its deletion, keys of all splits still get them. Raises ``GymError`` 404
    ``unknown_episode``, also if the key may not see it.
    """
    is_visible = projects.visible(Episode.objects.filter(pk=episode_id), principal).exists()
    units = _units_of(episode_id, principal)
    if not is_visible and (principal.splits or not units):
        raise GymError("unknown_episode", f"There is no episode {episode_id}.", status=404)
    by_unit: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for label in _records(versions.newest_done().filter(unit_id__in=units).order_by("pk")):
        by_unit.setdefault(tuple(label[name] for name in UNIT), []).append(label)
    results = [
        {**{name: labels[0][name] for name in UNIT}, "consensus": consensus(labels), "labels": labels}
        for labels in by_unit.values()
    ]
    return sorted(results, key=lambda unit: (unit["step"], unit["paragraph"], unit["project"]))


def _units_of(episode_id: int, principal: Principal) -> list[int]:
    """The units of an episode, by project, as their index begins with it. A pair is of both its episodes."""
    seen = projects.visible(AnnotationProject.objects.all(), principal)
    levels = dict(seen.values_list("pk", "level"))
    of_pairs = [project for project, level in levels.items() if level == AnnotationProject.Level.PAIR]
    units = AnnotationUnit.objects.filter(project_id__in=levels, episode_id=episode_id)
    others = AnnotationUnit.objects.filter(project_id__in=of_pairs, other_episode_id=episode_id)
    return [*units.values_list("pk", flat=True), *others.values_list("pk", flat=True)]


def _records(labels: QuerySet[Label]) -> list[dict[str, Any]]:
    return [dict(zip(LabelRecord.__struct_fields__, row, strict=True)) for row in labels.values_list(*PATHS)]
