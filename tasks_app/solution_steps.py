"""Steps of the stored reference solutions: cutting them and counting them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tasks_app.loader import cut_steps
from tasks_app.models import Gold
from tasks_app.registry import benchmarks
from tasks_app.types import BenchmarkPlugin

BATCH_ROWS = 1_000

_COUNTS = """
SELECT t.benchmark_id, t.split, count(*), count(*) FILTER (WHERE g.solution <> ''),
    count(*) FILTER (WHERE cardinality(g.steps) > 0),
    avg(cardinality(g.steps)) FILTER (WHERE cardinality(g.steps) > 0)
FROM tasks_app_task t LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
GROUP BY 1, 2 ORDER BY 1, 2"""


# Solutions with one step do not count, because a last step is never given.
_LEAKS = """
SELECT t.benchmark_id, t.split, count(*),
    avg((g.clean_steps < 1)::int), avg((g.clean_steps < least(2, cardinality(g.steps) - 1))::int),
    avg((g.clean_steps < least(3, cardinality(g.steps) - 1))::int),
    avg(g.clean_steps::float8 / cardinality(g.steps))
FROM tasks_app_task t JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE cardinality(g.steps) > 1 AND g.clean_steps IS NOT NULL
GROUP BY 1, 2 ORDER BY 1, 2"""


@dataclass(frozen=True, kw_only=True)
class LeakCounts:
    """Counts of a split's solutions that have at least two steps and are ``checked`` for their answer.

    ``leaking`` gives the shares that contain the answer within their first one, two and three steps, ignoring
    the last step. ``clean`` is the mean share of steps that can be given.
    """

    benchmark: str
    split: str
    checked: int
    leaking: tuple[float, float, float]
    clean: float


@dataclass(frozen=True, kw_only=True)
class StepCounts:
    """Counts of a split's tasks: all, those with a solution, those with steps; and the mean steps."""

    benchmark: str
    split: str
    tasks: int
    solved: int
    cut: int
    mean_steps: float | None


def steps_store(plugin: BenchmarkPlugin, *, split: str | None = None) -> int:
    """Cut the solutions of a benchmark's golds again and return the number of golds whose steps changed.

    Golds keep their versions because verifiers do not read steps.
    """
    golds = Gold.objects.filter(task__benchmark=plugin.id).exclude(solution="")
    if split is not None:
        golds = golds.filter(task__split=split)
    return sum(_store(batch) for batch in _find_changed(golds.order_by("pk").iterator(BATCH_ROWS), plugin))


def step_counts() -> list[StepCounts]:
    """Count the tasks of every loaded split, ordered by benchmark and split."""
    return [
        StepCounts(
            benchmark=benchmark,
            split=split,
            tasks=tasks,
            solved=solved,
            cut=cut,
            mean_steps=None if mean is None else float(mean),
        )
        for benchmark, split, tasks, solved, cut, mean in _rows(_COUNTS)
    ]


def leak_counts() -> list[LeakCounts]:
    """Count the checked solutions of every loaded split, ordered by benchmark and split."""
    return [
        LeakCounts(
            benchmark=benchmark,
            split=split,
            checked=checked,
            leaking=(float(first), float(second), float(third)),
            clean=clean,
        )
        for benchmark, split, checked, first, second, third, clean in _rows(_LEAKS)
    ]


def _find_changed(golds: Iterator[Gold], plugin: BenchmarkPlugin) -> Iterator[list[Gold]]:
    batch: list[Gold] = []
    for gold in golds:
        steps = cut_steps(plugin, gold.solution)
        if steps != gold.steps:
            gold.steps, gold.clean_steps = steps, None
            batch.append(gold)
        if len(batch) >= BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _store(golds: list[Gold]) -> int:
    Gold.objects.bulk_update(golds, ["steps", "clean_steps"])
    return len(golds)


def _rows(statement: str) -> list[tuple[Any, ...]]:
    """Return a statement's rows, whose first column is a benchmark, without benchmarks that are gone."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [row for row in cursor.fetchall() if row[0] in benchmarks]
