"""Prefixes of solutions: their results by task, and the shortest prefix with a success."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from django.db.models import BigIntegerField, Count, Q
from django.db.models.functions import Cast
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.structs.fields import choice
from palaestra.protocol.outcomes import JUDGED
from trajectories.models import Episode, Run, Verdict
from trajectories.record.api.auth import Principal, caller
from trajectories.rollouts.episodes.guidance import START_STATE
from trajectories.rollouts.runs import selectors as runs

# Conditions on the episodes that count as results. A fork of a guided episode stores the same guidance, but
# does not count.
KINDS = {"prefix": Q(parent=None), START_STATE: Q(parent=Cast("guidance__episode", BigIntegerField()))}
STEPS, OF = "guidance__steps", "guidance__of"


class PrefixTries(Struct):
    """Results of the judged episodes that were given the first ``steps`` of a solution.

    Void episodes, forks, and episodes that a person took over do not count.
    """

    steps: int
    judged: int
    correct: int


class TaskPrefixes(Struct):
    """A task's results with prefixes of its solution, which has ``of`` steps.

    ``shortest`` is the smallest number of steps that led to a success; null before there is one."""

    task: int
    of: int
    shortest: int | None
    tries: list[PrefixTries]


class PrefixPage(Struct):
    """A page of tasks. ``next`` is null on the last page."""

    results: list[TaskPrefixes]
    next: str | None


class PrefixesQuery(Query, kw_only=True):
    guidance: Annotated[
        str, choice(KINDS), Meta(description="Unit of the prefixes: written steps, or acts.")
    ] = "prefix"


class RunPrefixesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "run_prefixes",
        "Read the results with prefixes of solutions in a run",
        description="By task: how often each number of steps led to a success, and the smallest that did.",
        parameters=[PrefixesQuery],
        answers={200: (PrefixPage, "A page of tasks, by task id.")},
        errors=(400, 404),
    )
    def get(self, request: Request, run_id: int) -> Response:
        query = query_read(PrefixesQuery, request)
        run = runs.run_get(run_id, principal=caller(request))
        rows = prefix_results(
            run,
            kind=query["guidance"],
            after=query.get("cursor", 0),
            limit=query["limit"],
            principal=caller(request),
        )
        shown, following = page(rows, limit=query["limit"], place=lambda row: int(row["task"]))
        return Response({"results": shown, "next": following})


def prefix_results(
    run: Run, *, kind: str, after: int, limit: int, principal: Principal
) -> list[dict[str, Any]]:
    """Return up to ``limit`` tasks with ids above ``after``, plus one if there is a next page."""
    judged = Episode.objects.filter(run=run, guidance__isnull=False, guidance__kind=kind)
    judged = judged.filter(KINDS[kind], guidance__has_key="steps")
    judged = judged.filter(is_taken_over=False, verdict__outcome__in=JUDGED)
    if principal.splits:
        judged = judged.filter(task__split__in=principal.splits)
    tasks = judged.filter(task__gt=after).values_list("task", flat=True).distinct().order_by("task")
    rows = (
        judged.filter(task__in=list(tasks[: limit + 1]))
        .values("task", STEPS, OF)
        .annotate(judged=Count("pk"), correct=Count("pk", filter=Q(verdict__outcome=Verdict.Outcome.CORRECT)))
        .order_by("task", STEPS)
    )
    return [_record(task, list(of_task)) for task, of_task in groupby(rows, key=lambda row: row["task"])]


def _record(task: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    tries = [{"steps": row[STEPS], "judged": row["judged"], "correct": row["correct"]} for row in rows]
    shortest = min((one["steps"] for one in tries if one["correct"]), default=None)
    return {"task": task, "of": rows[-1][OF], "shortest": shortest, "tries": tries}
