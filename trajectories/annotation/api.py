"""API calls that read labels: each annotator's newest label of a unit, without skips and repeats."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from msgspec import UNSET, Meta, Struct, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.errors import GymError
from core.structs.fields import Id, checked, choice
from palaestra.protocol.arms import ARMS
from trajectories.annotation.columns import COLUMNS
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.consensus import find_consensus
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Episode, Label
from trajectories.record import projects
from trajectories.record.api.auth import Principal, caller

ANSWER_CHARS = 200


ANSWER = re.compile(r"([a-z0-9_]+):([a-z0-9_]+)")


def _answer_read(text: str) -> tuple[str, str]:
    match = ANSWER.fullmatch(text)
    if match is None or len(text) > ANSWER_CHARS:
        raise ValueError("Write it as field:answer, such as type:reasoning.")
    return match[1], match[2]


Answer = Annotated[
    str,
    checked(
        _answer_read,
        pattern=f"^{ANSWER.pattern.replace('(', '').replace(')', '')}$",
        maxLength=ANSWER_CHARS,
        minLength=1,
    ),
]


class LabelsQuery(Query, kw_only=True):
    project: Id | UnsetType = UNSET
    episode: Id | UnsetType = UNSET
    run: Id | UnsetType = UNSET
    arm: Annotated[str, choice(ARMS)] | UnsetType = UNSET
    layer: Annotated[str, choice(Label.Layer.values)] | UnsetType = UNSET
    annotator_kind: Annotated[str, choice(Annotator.Kind.values)] | UnsetType = UNSET
    answer: Annotated[
        Answer | UnsetType,
        Meta(
            description="`field:answer`, such as `type:reasoning`. A label with several answers to the field "
            "matches if this is one of them."
        ),
    ] = UNSET


class LabelRecord(Struct, kw_only=True):
    """An annotator's current label of a unit. ``annotator`` is a number, since only the lab shows names.

    ``values`` maps fields to answers, ``spans`` are character ranges of the thought, and ``links`` maps
    answers to steps.
    """

    id: int
    project: int
    episode: int
    step: int
    paragraph: int
    begin: int
    end: int
    other_episode: int | None
    other_step: int | None
    stratum: str
    weight: float
    annotator: int
    annotator_kind: str
    layer: str
    view: str
    is_swapped: bool
    version: int
    codebook: str
    values: dict[str, Any]
    spans: list[list[int]]
    links: dict[str, int]
    note: str
    is_unsure: bool
    reason: str
    active_ms: int | None
    created_at: datetime


class LabelPage(Struct, kw_only=True):
    """A page of labels; ``next`` is null on the last page."""

    results: list[LabelRecord]
    next: str | None


class Consensus(Struct, kw_only=True):
    """The unit's final label.

    ``source`` is ``adjudicated`` or ``majority``. With ``majority``, each field has the answer that more than
    half of the ``people`` gave, or null if there is none.
    """

    source: str
    people: int
    values: dict[str, Any]


class UnitRecord(Struct, kw_only=True):
    """A unit of a project with its labels; ``consensus`` is null while no person has labelled it.

    In a pair, ``episode`` and ``step`` are those that answers call first, and ``other_episode`` and
    ``other_step`` the second. ``weight`` is the number of steps, trajectories or pairs that the unit
    represents in the sample; the paragraphs of a step share its weight.
    """

    project: int
    episode: int
    step: int
    paragraph: int
    begin: int
    end: int
    other_episode: int | None
    other_step: int | None
    weight: float
    consensus: Consensus | None
    labels: list[LabelRecord]


class EpisodeLabels(Struct, kw_only=True):
    results: list[UnitRecord]


OF_LABEL = {"id": "pk", "project": "unit__project_id"}
PATHS = [OF_LABEL.get(name) or COLUMNS[name].path for name in LabelRecord.__struct_fields__]
# An answer may also be a step number, which has at most this many digits.
STEP_DIGITS = 9
UNIT = tuple(name for name in UnitRecord.__struct_fields__ if name not in ("consensus", "labels"))


def list_labels(
    *,
    principal: Principal,
    after: int,
    limit: int,
    project: int | None = None,
    episode: int | None = None,
    answer: tuple[str, str] | None = None,
    **filters: Any,
) -> list[dict[str, Any]]:
    """Return up to ``limit`` labels in order of their ids, and one more if there is a next page.

    ``filters`` may contain ``layer`` and ``annotator_kind``, and the episode's ``run`` and ``arm``.
    """
    labels = projects.visible(versions.filter_newest_done().filter(pk__gt=after), principal)
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


def list_episode_labels(episode_id: int, *, principal: Principal) -> list[dict[str, Any]]:
    """Return the labelled units of an episode, in step order.

    Labels outlive the episode: after its deletion, keys for all splits can still read them. Raises
    ``GymError`` 404 ``unknown_episode``, also if the key may not see the episode.
    """
    is_visible = projects.visible(Episode.objects.filter(pk=episode_id), principal).exists()
    units = _units_of(episode_id, principal)
    if not is_visible and (principal.splits or not units):
        raise GymError("unknown_episode", f"There is no episode {episode_id}.", status=404)
    by_unit: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for label in _records(versions.filter_newest_done().filter(unit_id__in=units).order_by("pk")):
        by_unit.setdefault(tuple(label[name] for name in UNIT), []).append(label)
    results = [
        {**{name: labels[0][name] for name in UNIT}, "consensus": find_consensus(labels), "labels": labels}
        for labels in by_unit.values()
    ]
    return sorted(results, key=lambda unit: (unit["step"], unit["paragraph"], unit["project"]))


def _units_of(episode_id: int, principal: Principal) -> list[int]:
    """Return the ids of an episode's units, queried by project because their index begins with it."""
    seen = projects.visible(AnnotationProject.objects.all(), principal)
    levels = dict(seen.values_list("pk", "level"))
    of_pairs = [project for project, level in levels.items() if level == AnnotationProject.Level.PAIR]
    units = AnnotationUnit.objects.filter(project_id__in=levels, episode_id=episode_id)
    others = AnnotationUnit.objects.filter(project_id__in=of_pairs, other_episode_id=episode_id)
    return [*units.values_list("pk", flat=True), *others.values_list("pk", flat=True)]


def _records(labels: QuerySet[Label]) -> list[dict[str, Any]]:
    return [dict(zip(LabelRecord.__struct_fields__, row, strict=True)) for row in labels.values_list(*PATHS)]


class LabelsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "label_list",
        "List labels of annotation projects, oldest first",
        description="Lists each annotator's newest label of each unit, without superseded versions, skipped "
        "units and hidden repeats. `annotator_kind` distinguishes people, rules and judge models.",
        parameters=[LabelsQuery],
        answers={200: (LabelPage, "A page of labels.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(LabelsQuery, request)
        limit, after = query["limit"], query.pop("cursor", 0)
        rows = list_labels(principal=caller(request), after=after, **query)
        shown, following = page(rows, limit=limit, place=lambda row: int(row["id"]))
        return Response({"results": shown, "next": following})


class EpisodeLabelsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_labels",
        "Read the labels of an episode by unit",
        description="Each unit comes with its consensus: the adjudicated label or, if there is none, the "
        "majority's answers.",
        answers={200: (EpisodeLabels, "The labelled units, in step order.")},
        errors=(404,),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        return Response({"results": list_episode_labels(episode_id, principal=caller(request))})
