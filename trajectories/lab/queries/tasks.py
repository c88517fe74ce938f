"""Tasks, without their golds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce, Left
from django.http import Http404

from tasks_app.models import Benchmark, Task
from tasks_app.task_words import task_query, tasks_with
from trajectories.lab.text.untrusted import BEGINNING_FETCHED
from trajectories.models import Episode

TASKS_PER_PAGE = 50
FIRST_PICTURE = KeyTextTransform("sha256", KeyTransform(0, KeyTransform("pictures", "payload")))

# Matches words as the search's filter ``problem`` does. Postgres answers a union from the indexes first;
# otherwise it might read tasks in the order of ids and split the text of each into words.
MATCHING = f"""
{tasks_with("%s")} UNION
SELECT g.id FROM tasks_app_task g WHERE g.tags @> ARRAY[%s]::varchar[]"""  # noqa: S608 (constants)


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """One page of tasks in id order; ``after`` is the cursor of the next page."""

    tasks: Sequence[Task]
    after: int | None


def task_excerpt(*, task: str = "") -> Left:
    """How a task's question begins: its text if it has one, since a prompt may begin with a table.

    ``task`` is the lookup path from the queried model to the task, such as ``task__``.
    """
    return Left(Coalesce(KeyTextTransform("text", f"{task}payload"), f"{task}prompt"), BEGINNING_FETCHED)


def task_page(*, filters: dict[str, Any], after: int | None) -> TaskPage:
    """Tasks with ``excerpt``, ``picture`` (SHA-256 of the first one) and ``tries`` (episodes of any run).

    The filter ``q`` matches words of a task's text and key, or a whole tag.
    """
    columns = {"benchmark": "benchmark_id", "split": "split", "kind": "kind"}
    query = Task.objects.filter(
        **{column: filters[name] for name, column in columns.items() if filters.get(name)}
    )
    if "gap" in filters:
        query = query.filter(gap_eligible=filters["gap"])
    if words := filters.get("q"):
        query = query.filter(pk__in=RawSQL(MATCHING, [task_query(words), words.strip()]))  # noqa: S611
    if after is not None:
        query = query.filter(id__gt=after)
    rows = list(
        query.defer("prompt", "payload")
        .annotate(excerpt=task_excerpt(), picture=FIRST_PICTURE)
        .order_by("id")[: TASKS_PER_PAGE + 1]
    )
    shown = rows[:TASKS_PER_PAGE]
    tries = _tries([task.pk for task in shown])
    for task in shown:
        task.tries = tries.get(task.pk, 0)  # type: ignore[attr-defined]  # only the template reads it
    return TaskPage(tasks=shown, after=shown[-1].pk if len(rows) > TASKS_PER_PAGE else None)


def _tries(task_ids: list[int]) -> dict[int, int]:
    rows = Episode.objects.filter(task_id__in=task_ids).order_by().values_list("task_id")
    return dict(rows.annotate(tries=Count("id")))


def task_get(task_id: int) -> Task:
    task = Task.objects.select_related("benchmark").filter(pk=task_id).first()
    if task is None:
        raise Http404(f"There is no task {task_id}.")
    return task


def benchmarks_known() -> list[str]:
    return list(Benchmark.objects.order_by("id").values_list("id", flat=True))


def splits_known() -> list[str]:
    return list(Task.objects.order_by("split").values_list("split", flat=True).distinct())
