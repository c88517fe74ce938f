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
LATEST_EPISODES = 20
FIRST_PICTURE = KeyTextTransform("sha256", KeyTransform(0, KeyTransform("pictures", "payload")))

# The words are those of the search's filter ``problem``. A union is answered from its indexes before all the
# rest: in the order of ids Postgres would read tasks from the first on, and part the words of each.
FOUND = f"""
{tasks_with("%s")} UNION
SELECT g.id FROM tasks_app_task g WHERE g.tags @> ARRAY[%s]::varchar[]"""  # noqa: S608 (constants)


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """One page of tasks in id order; ``after`` is the cursor of the next page."""

    tasks: Sequence[Task]
    after: int | None


def task_excerpt(*, task: str = "") -> Left:
    """How a task's question begins: its own words where it has some, since a prompt may begin with a table.

    ``task`` is the way to the task from the model that is asked for, such as ``task__``.
    """
    return Left(Coalesce(KeyTextTransform("text", f"{task}payload"), f"{task}prompt"), BEGINNING_FETCHED)


def task_page(*, filters: dict[str, Any], after: int | None) -> TaskPage:
    """Of the filters ``q`` is words of the task's text and key, or one whole tag.

    Tasks with ``excerpt``, ``picture`` (the first one's SHA-256) and ``tries`` (episodes of any run)."""
    columns = {"benchmark": "benchmark_id", "split": "split", "kind": "kind"}
    query = Task.objects.filter(
        **{column: filters[name] for name, column in columns.items() if filters.get(name)}
    )
    if "gap" in filters:
        query = query.filter(gap_eligible=filters["gap"])
    if words := filters.get("q"):
        query = query.filter(pk__in=RawSQL(FOUND, [task_query(words), words.strip()]))  # noqa: S611
    if after is not None:
        query = query.filter(id__gt=after)
    found = list(
        query.defer("prompt", "payload")
        .annotate(excerpt=task_excerpt(), picture=FIRST_PICTURE)
        .order_by("id")[: TASKS_PER_PAGE + 1]
    )
    shown = found[:TASKS_PER_PAGE]
    tries = _tries([task.pk for task in shown])
    for task in shown:
        task.tries = tries.get(task.pk, 0)  # type: ignore[attr-defined]  # read by the template alone
    return TaskPage(tasks=shown, after=shown[-1].pk if len(found) > TASKS_PER_PAGE else None)


def _tries(task_ids: list[int]) -> dict[int, int]:
    counted = Episode.objects.filter(task_id__in=task_ids).values("task_id").annotate(n=Count("id"))
    return {row["task_id"]: row["n"] for row in counted.order_by()}


def task_get(task_id: int) -> Task:
    task = Task.objects.select_related("benchmark").filter(pk=task_id).first()
    if task is None:
        raise Http404(f"There is no task {task_id}.")
    return task


def benchmarks_known() -> list[str]:
    return list(Benchmark.objects.order_by("id").values_list("id", flat=True))


def splits_known() -> list[str]:
    return list(Task.objects.order_by("split").values_list("split", flat=True).distinct())
