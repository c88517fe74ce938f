"""Labels as the API returns them: each annotator's newest of a unit, without skips and repeats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.errors import GymError
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.consensus import consensus
from trajectories.models import AnnotationProject, AnnotationUnit, Episode, Label
from trajectories.record import projects
from trajectories.record.api.auth import Principal

COLUMNS = {
    "id": "pk",
    "project": "unit__project_id",
    "episode": "unit__episode_id",
    "step": "unit__step",
    "paragraph": "unit__paragraph",
    "begin": "unit__begin",
    "end": "unit__end",
    "other_episode": "unit__other_episode_id",
    "other_step": "unit__other_step",
    "stratum": "unit__stratum",
    "weight": "unit__weight",
    "annotator": "annotator_id",
    "annotator_kind": "annotator__kind",
    **{name: name for name in ("layer", "view", "is_swapped", "version", "values", "spans", "links", "note")},
    **{name: name for name in ("is_unsure", "reason", "active_ms", "created_at")},
    "codebook": "codebook_id",
}
# Of the number of a step, which is an answer too.
STEP_DIGITS = 9
UNIT = ("project", "episode", "step", "paragraph", "begin", "end", "other_episode", "other_step", "weight")


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
    labels = projects.visible(_newest().filter(pk__gt=after), principal)
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
    results = [
        {**{name: labels[0][name] for name in UNIT}, "consensus": consensus(labels), "labels": labels}
        for labels in _by_unit(_newest().filter(unit_id__in=units).order_by("pk"))
    ]
    return sorted(results, key=lambda unit: (unit["step"], unit["paragraph"], unit["project"]))


def _newest() -> QuerySet[Label]:
    """Return the newest labels, without those of training units."""
    labels = Label.objects.filter(state=Label.State.DONE, is_repeat=False, unit__gold__isnull=True)
    return versions.newest_only(labels)


def _units_of(episode_id: int, principal: Principal) -> list[int]:
    """The units of an episode, by project, as their index begins with it. A pair is of both its episodes."""
    seen = projects.visible(AnnotationProject.objects.all(), principal)
    levels = dict(seen.values_list("pk", "level"))
    of_pairs = [project for project, level in levels.items() if level == AnnotationProject.Level.PAIR]
    units = AnnotationUnit.objects.filter(project_id__in=levels, episode_id=episode_id)
    others = AnnotationUnit.objects.filter(project_id__in=of_pairs, other_episode_id=episode_id)
    return [*units.values_list("pk", flat=True), *others.values_list("pk", flat=True)]


def _records(labels: QuerySet[Label], *more: str) -> list[dict[str, Any]]:
    names = (*COLUMNS, *more)
    return [dict(zip(names, row, strict=True)) for row in labels.values_list(*COLUMNS.values(), *more)]


def consensus_list(*, project: int, episodes: list[int]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The units of these episodes with the answers that count as their label; those without are left out."""
    labels = _newest().filter(unit__project_id=project, unit__episode_id__in=episodes)
    agreed = [(rows[0], consensus(rows)) for rows in _by_unit(labels.order_by("unit_id", "pk"))]
    return [(unit, counts["values"]) for unit, counts in agreed if counts]


def gold_places(*, project: int, episodes: list[int]) -> set[tuple[int, int]]:
    """The steps of these episodes, with their episode, that people labelled as units for training."""
    golds = AnnotationUnit.objects.filter(project_id=project, episode_id__in=episodes, gold__isnull=False)
    return set(golds.filter(labels__isnull=False).values_list("episode_id", "step"))


def episodes_labelled(*, project: int) -> QuerySet[AnnotationUnit, int]:
    """The ids of the episodes that have a label in a project."""
    units = AnnotationUnit.objects.filter(project_id=project, labels__isnull=False)
    return units.values_list("episode_id", flat=True).distinct()


def _by_unit(labels: QuerySet[Label]) -> Iterable[list[dict[str, Any]]]:
    """Group the labels by unit, in their order."""
    by_unit: dict[int, list[dict[str, Any]]] = {}
    for row in _records(labels, "unit_id"):
        by_unit.setdefault(row.pop("unit_id"), []).append(row)
    return by_unit.values()
