"""Queries for tasks, without their golds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce, Left
from django.http import Http404

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from tasks_app.models import Benchmark, Task
from tasks_app.task_words import task_query, tasks_with
from trajectories.shell.grid.view import Sort
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

TASKS_PER_PAGE = 50
FIRST_PICTURE = KeyTextTransform("sha256", KeyTransform(0, KeyTransform("pictures", "payload")))

# Matches words like the search's filter ``problem``. With a union, Postgres first uses the indexes; otherwise
# it might read tasks in the order of their ids and split each one's text into words.
MATCHING = f"""
{tasks_with("%(q)s")} UNION
SELECT g.id FROM tasks_app_task g WHERE g.tags @> ARRAY[%(tag)s]::varchar[]"""  # noqa: S608 (constants)
CONDITIONS = {
    "benchmark": "t.benchmark_id = %(benchmark)s",
    "split": "t.split = %(split)s",
    "kind": "t.kind = %(kind)s",
    "gap": "t.gap_eligible = %(gap)s",
    "q": f"t.id IN ({MATCHING})",
}
# Joined only if the list is sorted by one of their columns.
JOINS = {
    "c": "LEFT JOIN (SELECT s.task_id, sum(s.correct) AS correct, sum(s.judged) AS judged "
    "FROM trajectories_tasksum s WHERE s.scope = 'run' GROUP BY 1) c ON c.task_id = t.id",
    "n": "LEFT JOIN (SELECT e.task_id, count(*) AS episodes FROM trajectories_episode e GROUP BY 1) n "
    "ON n.task_id = t.id",
    **{
        f"c_{arm}": "LEFT JOIN (SELECT s.task_id, sum(s.correct) AS correct, sum(s.judged) AS judged "  # noqa: S608
        f"FROM trajectories_tasksum s WHERE s.scope = 'arm' AND s.part = '{arm}' GROUP BY 1) c_{arm} "
        f"ON c_{arm}.task_id = t.id"
        for arm in ARMS  # constants
    },
}
_ATTEMPTS = Statement(__file__, "task_attempts")


class Share(NamedTuple):
    """An accuracy: ``correct`` of ``judged`` episodes."""

    correct: int = 0
    judged: int = 0

    @property
    def value(self) -> float | None:
        return self.correct / self.judged if self.judged else None


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """A task in a list, with its number of episodes in all runs (``tries``) and its accuracy by arm. ``task``
    is annotated with the question's ``excerpt`` and the SHA-256 of its first ``picture``.
    """

    task: Task
    tries: int
    arms: Mapping[str, Share]

    @property
    def pk(self) -> int:
        return self.task.pk

    @property
    def total(self) -> Share:
        return Share(*(sum(numbers) for numbers in zip(*self.arms.values(), strict=True)))


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """One page of tasks; ``after`` is the cursor of the next page."""

    rows: Sequence[TaskRow]
    after: int | None


def task_excerpt(*, task: str = "") -> Left:
    """Return a query expression for the beginning of a task's question.

    It prefers the question's text to the prompt, since a prompt may begin with a table. ``task`` is the
    lookup path from the queried model to the task, such as ``task__``.
    """
    return Left(Coalesce(KeyTextTransform("text", f"{task}payload"), f"{task}prompt"), BEGINNING_FETCHED)


def task_page(*, filters: Mapping[str, Any], sort: Sort, after: int | None) -> TaskPage:
    """Return one page of tasks. The filter ``q`` matches words of a task's text and key, or a whole tag."""
    conditions = [CONDITIONS[name] for name in filters]
    parameters = dict(filters)
    if words := parameters.get("q"):
        parameters |= {"q": task_query(words), "tag": words.strip()}
    joins = " ".join(join for alias, join in JOINS.items() if f"{alias}." in sort.sql)
    tables = f"tasks_app_task t {joins}"
    if after is not None:
        conditions.append(sort.after("t.id", tables=tables))
        parameters["after"] = after
    statement = Statement(
        __file__,
        "tasks_sorted",
        tables=tables,
        conditions=" AND ".join(conditions) or "true",
        order=sort.order_by("t.id"),
    )
    ids = [task_id for (task_id,) in statement.rows(limit=TASKS_PER_PAGE + 1, **parameters)]
    shown = ids[:TASKS_PER_PAGE]
    return TaskPage(rows=task_rows(shown), after=shown[-1] if len(ids) > TASKS_PER_PAGE else None)


def task_rows(task_ids: Sequence[int]) -> list[TaskRow]:
    """Return the rows of these tasks in the same order; tasks that do not exist are left out."""
    tasks = (
        Task.objects.defer("prompt", "payload")
        .annotate(excerpt=task_excerpt(), picture=FIRST_PICTURE)
        .in_bulk(task_ids)
    )
    arms: dict[int, dict[str, Share]] = {}
    tries: dict[int, int] = {}
    for task_id, arm, episodes, correct, judged in _ATTEMPTS.rows(tasks=list(task_ids)):
        tries[task_id] = tries.get(task_id, 0) + episodes
        arms.setdefault(task_id, {})[arm] = Share(correct, judged)
    return [
        TaskRow(task=tasks[task_id], tries=tries.get(task_id, 0), arms=arms.get(task_id, {}))
        for task_id in task_ids
        if task_id in tasks
    ]


def task_get(task_id: int) -> Task:
    """Return a task. Raises ``Http404`` if it does not exist."""
    task = Task.objects.select_related("benchmark").filter(pk=task_id).first()
    if task is None:
        raise Http404(f"There is no task {task_id}.")
    return task


def list_benchmarks() -> list[str]:
    return list(Benchmark.objects.order_by("id").values_list("id", flat=True))


def list_splits() -> list[str]:
    return list(Task.objects.order_by("split").values_list("split", flat=True).distinct())
