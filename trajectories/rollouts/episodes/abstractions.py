"""Abstractions, with their API calls and their solvers' results.

An abstraction that contains the answer is refused.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Annotated, Any

from django.db.models import Count, Q
from msgspec import UNSET, Meta, Struct, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.errors import GymError
from core.structs.bodies import struct_read
from core.structs.fields import Id
from palaestra.protocol.outcomes import JUDGED
from tasks_app.leaks import detection
from tasks_app.models import Task
from trajectories.models import Abstraction, Episode, Run, Verdict
from trajectories.models.access import DEFAULT_PROJECT, Scope
from trajectories.record import projects
from trajectories.record.api.auth import Principal, caller
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.episodes import creation, services
from trajectories.rollouts.episodes.creation_body import GUIDANCE_CHARS
from trajectories.rollouts.runs import selectors as runs
from verifiers.types import storable

USED = "guidance__abstraction"
Counts = tuple[int, int]  # (judged, correct)


def abstraction_get(abstraction_id: int, *, principal: Principal) -> dict[str, Any]:
    """Return an abstraction.

    Raises ``GymError`` 404 ``unknown_abstraction``, also if the key may not see it.
    """
    row = projects.visible(Abstraction.objects.all(), principal).filter(pk=abstraction_id).first()
    if row is None:
        raise GymError("unknown_abstraction", f"There is no abstraction {abstraction_id}.", status=404)
    return abstraction_records([row], principal=principal)[0]


def abstraction_list(
    *, principal: Principal, limit: int, before: int | None = None, **filters: int
) -> list[dict[str, Any]]:
    """List abstractions, newest first: up to ``limit``, plus one if there is a next page."""
    rows = projects.visible(Abstraction.objects.all(), principal).filter(**filters)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return abstraction_records(list(rows.order_by("-pk")[: limit + 1]), principal=principal)


def abstraction_records(rows: Sequence[Abstraction], *, principal: Principal) -> list[dict[str, Any]]:
    """Return the records of abstractions, with their solvers' results so far."""
    shows = principal.may(Scope.GUIDANCE) or principal.may(Scope.GOLDS)
    solvers = _solvers([row.pk for row in rows])
    return [
        {
            "id": row.pk,
            "task": row.task_id,
            "text": row.text if shows else None,
            "sha256": row.sha256,
            "author": row.author,
            "run": row.run_id,
            "episode": row.episode_id,
            "created_at": row.created_at,
            "solvers": solvers[row.pk],
        }
        for row in rows
    ]


def run_report(run: Run, *, principal: Principal) -> dict[str, Any]:
    """Compare a solver's results with abstractions, without them, and with each task's best one."""
    counts: dict[int, dict[int | None, Counts]] = defaultdict(dict)
    judged = Episode.objects.filter(run=run, parent=None, is_taken_over=False, verdict__outcome__in=JUDGED)
    if principal.splits:
        judged = judged.filter(task__split__in=principal.splits)
    judged = judged.filter(Q(is_plain=True) | Q(guidance__abstraction__isnull=False))
    rows = judged.values("task", USED).annotate(
        judged=Count("pk"), correct=Count("pk", filter=Q(verdict__outcome=Verdict.Outcome.CORRECT))
    )
    for row in rows:
        counts[row["task"]][row[USED]] = (row["judged"], row["correct"])
    helped = {task: of_task for task, of_task in counts.items() if set(of_task) - {None}}
    written = {used for of_task in helped.values() for used in of_task if used is not None}
    runs = Abstraction.objects.filter(pk__in=written, run__isnull=False).values_list("run", flat=True)
    return {
        "with": _share(_sum(_own(of_task)) for of_task in helped.values()),
        "without": _share(of_task[None] for of_task in helped.values() if None in of_task),
        "best": _share(max(_own(of_task), key=_mean) for of_task in helped.values()),
        "written_in": sorted(set(runs)),
    }


def _own(of_task: Mapping[int | None, Counts]) -> list[Counts]:
    return [counts for used, counts in of_task.items() if used is not None]


def _sum(counts: Sequence[Counts]) -> Counts:
    return sum(judged for judged, _ in counts), sum(correct for _, correct in counts)


def _mean(counts: Counts) -> float:
    return counts[1] / counts[0]


def _share(counts: Iterable[Counts]) -> dict[str, Any]:
    of_tasks = list(counts)
    return {
        "tasks": len(of_tasks),
        "episodes": sum(judged for judged, _ in of_tasks),
        "mean": fmean(map(_mean, of_tasks)) if of_tasks else None,
    }


def _solvers(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = (
        Episode.objects.filter(guidance__abstraction__in=list(ids), parent=None, is_taken_over=False)
        .values(USED, "run")
        .annotate(
            opened=Count("pk"),
            judged=Count("pk", filter=Q(verdict__outcome__in=JUDGED)),
            correct=Count("pk", filter=Q(verdict__outcome=Verdict.Outcome.CORRECT)),
        )
        .order_by("run")
    )
    solvers: dict[int, dict[str, Any]] = {
        pk: {"runs": [], "opened": 0, "judged": 0, "correct": 0, "mean": None} for pk in ids
    }
    for row in rows:
        of_one = solvers[row[USED]]
        of_one["runs"].append(row["run"])
        for name in ("opened", "judged", "correct"):
            of_one[name] += row[name]
        of_one["mean"] = of_one["correct"] / of_one["judged"] if of_one["judged"] else None
    return solvers


class AbstractionIn(Struct, forbid_unknown_fields=True, kw_only=True):
    """A new abstraction.

    ``run`` and ``episode`` are those of the policy that wrote it. Both are absent when a person wrote it. If
    an episode is given, its run is implied."""

    task: Id
    text: Annotated[str, Meta(min_length=1, max_length=GUIDANCE_CHARS)]
    run: Id | None = None
    episode: Id | None = None


class Solvers(Struct):
    """Results of the episodes that had the abstraction as guidance. ``runs`` lists their runs.

    ``mean`` is the share of ``correct`` among ``judged`` episodes, which is the reward of the abstraction's
    author. It is null if no episode is judged. Void episodes count in neither."""

    runs: list[int]
    opened: int
    judged: int
    correct: int
    mean: float | None


class AbstractionRecord(Struct):
    """An abstraction with its results.

    ``text`` is null for keys without the scope `guidance` or `golds`. ``author`` is the name of the key that
    stored it.
    """

    id: int
    task: int
    text: str | None
    sha256: str
    author: str
    run: int | None
    episode: int | None
    created_at: str
    solvers: Solvers


class AbstractionPage(Struct):
    """A page of abstractions. ``next`` is null on the last page."""

    results: list[AbstractionRecord]
    next: str | None


class AbstractionsQuery(Query, kw_only=True):
    task: Id | UnsetType = UNSET
    run: Annotated[Id | UnsetType, Meta(description="The run of the policy that wrote them.")] = UNSET


class Share(Struct):
    """A success rate over ``tasks``.

    ``mean`` averages the success rates of the tasks, and ``episodes`` counts their judged episodes. ``mean``
    is null if there are no tasks.
    """

    tasks: int
    episodes: int
    mean: float | None


class AbstractionReport(Struct, rename={"with_": "with"}):
    """Results of a solver's run on the tasks that it played with abstractions.

    ``with`` covers the episodes with any abstraction, ``without`` those without any guidance, and ``best``
    those with each task's best abstraction. With few samples ``best`` is too high, because it is the greatest
    of several noisy means. ``written_in`` lists the runs of the policies that wrote the abstractions.
    """

    with_: Share
    without: Share
    best: Share
    written_in: list[int]


def abstraction_create(*, body: AbstractionIn, principal: Principal) -> Abstraction:
    """Store an abstraction of a task, in the project of its run if it has one.

    Raises ``GymError``: 404 ``unknown_run``, ``unknown_episode``; 422 ``unknown_task``, ``other_run``,
    ``guidance_leaks``, and the errors of ``detection.leaks``.
    """
    task = Task.objects.filter(pk=body.task).first()
    if task is None or not principal.sees_split(task.split):
        message = f"There is no task {body.task}."
        raise GymError("unknown_task", message, status=422, fields={"task": [message]})
    run_id, project = body.run, principal.project or DEFAULT_PROJECT
    if body.episode is not None:
        services.episode_get(episode_id=body.episode, principal=principal)
        run_id = Episode.objects.values_list("run_id", flat=True).get(pk=body.episode)
    if body.run is not None:
        creation.run_load(body.run, principal)
        if body.run != run_id:
            message = f"Episode {body.episode} belongs to run {run_id}, not to run {body.run}."
            raise GymError("other_run", message, status=422, fields={"run": [message]})
    if run_id is not None:
        project = Run.objects.values_list("project", flat=True).get(pk=run_id)
    text = storable(body.text)
    detection.leaks_refuse(task, text)
    return Abstraction.objects.create(
        task=task,
        project=project,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        author=principal.name,
        run_id=run_id,
        episode_id=body.episode,
    )


class AbstractionsView(APIView):
    scopes = {"GET": "read", "POST": "guidance"}

    @call(
        "abstraction_create",
        "Store an abstraction of a task",
        description="Knowledge that helps to solve the task, for `guidance: {kind: abstraction}`. A text "
        "that contains the answer is refused.",
        body=AbstractionIn,
        answers={201: (AbstractionRecord, "The abstraction.")},
        errors=(400, 404, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = struct_read(request.data, AbstractionIn)
        row = abstraction_create(body=body, principal=caller(request))
        return Response(abstraction_get(row.pk, principal=caller(request)), status=201)

    @call(
        "abstraction_list",
        "List abstractions, newest first",
        parameters=[AbstractionsQuery],
        answers={200: (AbstractionPage, "A page of abstractions.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(AbstractionsQuery, request)
        limit, before = query["limit"], query.pop("cursor", None)
        rows = abstraction_list(principal=caller(request), before=before, **query)
        shown, following = page(rows, limit=limit, place=lambda record: int(record["id"]))
        return Response({"results": shown, "next": following})


class AbstractionView(APIView):
    scopes = {"GET": "read"}

    @call(
        "abstraction_get",
        "Read an abstraction and its solvers' results",
        answers={200: (AbstractionRecord, "The abstraction.")},
        errors=(404,),
    )
    def get(self, request: Request, abstraction_id: int) -> Response:
        return Response(abstraction_get(abstraction_id, principal=caller(request)))


class RunAbstractionsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "run_abstractions",
        "Compare a run's results with abstractions, without them, and with the best ones",
        answers={200: (AbstractionReport, "Means over the tasks that were played with abstractions.")},
        errors=(404,),
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = runs.run_get(run_id, principal=caller(request))
        return Response(run_report(run, principal=caller(request)))
