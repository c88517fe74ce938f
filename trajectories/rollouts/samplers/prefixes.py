"""Knowledge of guiding samplers about tasks' reference solutions and about recorded scripted solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.db.models import Count

from core.database.sql import Statement
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Gold, Task
from trajectories.models import Sampler, Step
from trajectories.rollouts.samplers.plans import DrawnTask
from trajectories.rollouts.samplers.types import Pool, Prefixes
from trajectories.rollouts.solutions import acts_text, is_leaking, solutions

SOLUTIONS = Statement(__file__, "solutions")
TRIES = Statement(__file__, "tries")
SHORTEST = Statement(__file__, "shortest")
CleanOf = Callable[[list[int]], Mapping[int, int]]
Solutions = dict[int, int]
"""The episode that is a task's solution, by task."""


def read_prefixes(sampler: Sampler, pool: Pool) -> Prefixes:
    """Return what is known without looking into solutions or other runs."""
    import numpy

    of, clean = (
        numpy.frombuffer(column, ">i4").astype("i8") for column in SOLUTIONS.rows(sampler=sampler.pk)[0]
    )
    (columns,) = TRIES.rows(sampler=sampler.pk)
    kinds = (">i8", ">i4", ">i4", ">i4")
    tasks, steps, judged, correct = (
        numpy.frombuffer(column or b"", kind).astype("i8")
        for column, kind in zip(columns, kinds, strict=True)
    )
    tried, solved = numpy.zeros((2, len(pool), steps.max(initial=0) + 1), dtype=numpy.int64)
    rows = numpy.searchsorted(pool.tasks, tasks)
    tried[rows, steps], solved[rows, steps] = judged, correct
    return Prefixes(of=of, clean=clean, shortest=numpy.full(len(pool), -1), judged=tried, correct=solved)


def build_steps_check(checks: LeakChecks) -> CleanOf:
    """Return a function that counts, and stores, how many steps of reference solutions can be given."""

    def clean_of(tasks: list[int]) -> dict[int, int]:
        golds = list(Gold.objects.filter(task__in=tasks, is_current=True).select_related("task"))
        checks.clean_steps_store(golds)
        return {gold.task_id: gold.clean_steps or 0 for gold in golds}

    return clean_of


def prefixes_complete(
    pool: Pool, items: list[DrawnTask], *, kind: str, searched: int | None, clean_of: CleanOf
) -> Pool | None:
    """Return the pool with more knowledge about a draw's tasks, or None if everything was known.

    ``searched`` is a run, if any, whose shortest successful guidance of ``kind`` is looked up. ``clean_of``
    returns how much can be given, for tasks for which that is not known. Raises ``GymError``: 413
    ``too_many_leak_checks``; 422 ``no_solution``.
    """
    import numpy

    prefixes = pool.prefixes
    rows = numpy.searchsorted(pool.tasks, sorted({item.task for item in items}))
    unsearched = rows[prefixes.shortest[rows] < 0] if searched is not None else rows[:0]
    if len(unsearched):
        tasks = pool.tasks[unsearched].tolist()
        steps = dict(SHORTEST.rows(run=searched, tasks=tasks, kind=kind))
        return _with(pool, "shortest", {task: steps.get(task, 0) for task in tasks})
    unchecked = rows[(prefixes.of[rows] > 0) & (prefixes.clean[rows] < 0)]
    return _with(pool, "clean", clean_of(pool.tasks[unchecked].tolist())) if len(unchecked) else None


def _with(pool: Pool, name: str, values: Mapping[int, int]) -> Pool:
    """Return the pool with new values in one column of its prefixes, given by task."""
    import numpy

    column = getattr(pool.prefixes, name).copy()
    column[numpy.searchsorted(pool.tasks, list(values))] = list(values.values())
    return replace(pool, prefixes=replace(pool.prefixes, **{name: column}))


def find_solutions(sampler: Sampler, *, arm: str) -> Solutions:
    tasks = sampler.tasks.values_list("task", flat=True)
    rows = solutions(tasks, run=sampler.run, arm=arm).filter(run__project=sampler.run.project)
    return dict(rows.values_list("task", "pk"))


def read_starts(recorded: Solutions, pool: Pool) -> Prefixes:
    """Return what is known about recorded solutions without reading the texts that their acts write."""
    import numpy

    acts = Step.objects.filter(episode__in=recorded.values()).values_list("episode")
    counts = dict(acts.annotate(Count("pk")).order_by())
    nothing = Prefixes.nothing(len(pool))
    of, unknown = nothing.of.copy(), numpy.full(len(pool), -1)
    of[numpy.searchsorted(pool.tasks, list(recorded))] = [counts[pk] for pk in recorded.values()]
    return replace(nothing, of=of, clean=numpy.where(of > 0, unknown, 0), shortest=unknown)


def build_acts_check(recorded: Solutions, items: list[DrawnTask], checks: LeakChecks) -> CleanOf:
    """Return a function that gives the number of acts drawn for a task.

    The number is 0 if those acts contain the answer or are the whole solution.
    """
    given = {item.task: item.guidance["steps"] for item in items if item.guidance}

    def clean_of(tasks: list[int]) -> dict[int, int]:
        rows = Task.objects.in_bulk(tasks)
        return {task: 0 if _is_too_much(rows[task]) else given[task] for task in tasks}

    def _is_too_much(task: Task) -> bool:
        solution, steps = recorded[task.pk], given[task.pk]
        is_last = not Step.objects.filter(episode=solution, index__gt=steps).exists()
        return is_last or is_leaking(task, acts_text(solution, steps), checks)

    return clean_of
