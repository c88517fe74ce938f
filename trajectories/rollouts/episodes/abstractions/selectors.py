"""Abstractions with their solvers' results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from django.db.models import Count, Q

from core.errors import GymError
from palaestra.protocol.outcomes import JUDGED
from trajectories.models import Abstraction, Episode, Run, Verdict
from trajectories.models.access import Scope
from trajectories.record import projects
from trajectories.record.api.auth import Principal

USED = "guidance__abstraction"
Counts = tuple[int, int]  # judged, correct


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
    """List the newest first: up to ``limit``, and one more if there is a next page. Filters: task, run."""
    rows = projects.visible(Abstraction.objects.all(), principal).filter(**filters)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return abstraction_records(list(rows.order_by("-pk")[: limit + 1]), principal=principal)


def abstraction_records(rows: Sequence[Abstraction], *, principal: Principal) -> list[dict[str, Any]]:
    """Return records with their solvers' results so far."""
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
    """Report on a solver's run with abstractions, without them, and with the best of each task."""
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
