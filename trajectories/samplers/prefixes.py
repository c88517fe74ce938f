"""What samplers that guide know of their tasks' solutions."""

from __future__ import annotations

from dataclasses import replace

from core.sql import Statement
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Gold
from trajectories.models import Sampler
from trajectories.samplers.plans import DrawnTask
from trajectories.samplers.types import Pool, Prefixes

SOLUTIONS = Statement(__file__, "solutions")
TRIES = Statement(__file__, "tries")
SHORTEST = Statement(__file__, "shortest")


def prefixes_of(sampler: Sampler, pool: Pool) -> Prefixes:
    """What is known without looking into a solution, or at other runs."""
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


def prefixes_complete(
    pool: Pool, items: list[DrawnTask], *, searched: int | None, checks: LeakChecks
) -> Pool | None:
    """The pool with all that is to be known of the tasks of a draw; None if it was known.

    ``searched`` is the run whose shortest prefixes count, if any. Raises ``GymError``: 413
    ``too_many_leak_checks``; 422 ``no_solution``.
    """
    import numpy

    prefixes = pool.prefixes
    rows = numpy.searchsorted(pool.tasks, sorted({item.task for item in items}))
    clean, shortest = prefixes.clean.copy(), prefixes.shortest.copy()
    unchecked = rows[(prefixes.of[rows] > 0) & (clean[rows] < 0)]
    unsearched = rows[shortest[rows] < 0] if searched is not None else rows[:0]
    if not len(unchecked) and not len(unsearched):
        return None
    if len(unchecked):
        golds = Gold.objects.filter(task__in=pool.tasks[unchecked].tolist(), is_current=True)
        counted = list(golds.select_related("task"))
        checks.clean_steps_store(counted)
        for gold in counted:
            clean[numpy.searchsorted(pool.tasks, gold.task_id)] = gold.clean_steps or 0
    if len(unsearched):
        shortest[unsearched] = 0
        for task, steps in SHORTEST.rows(run=searched, tasks=pool.tasks[unsearched].tolist()):
            shortest[numpy.searchsorted(pool.tasks, task)] = steps
    return replace(pool, prefixes=replace(prefixes, clean=clean, shortest=shortest))
