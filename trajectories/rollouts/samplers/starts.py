"""Knowledge of samplers that open start states about the scripted solutions on record."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import Count

from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Task
from trajectories.models import Sampler, Step
from trajectories.rollouts.samplers.plans import DrawnTask
from trajectories.rollouts.samplers.prefixes import CleanOf
from trajectories.rollouts.samplers.types import Pool, Prefixes
from trajectories.rollouts.solutions import acts_text, is_leaking, solutions

Solutions = dict[int, int]
"""The episode that is the solution of a task, by task."""


def solutions_of(sampler: Sampler, *, arm: str) -> Solutions:
    tasks = sampler.tasks.values_list("task", flat=True)
    rows = solutions(tasks, run=sampler.run, arm=arm).filter(run__project=sampler.run.project)
    return dict(rows.values_list("task", "pk"))


def starts_of(recorded: Solutions, pool: Pool) -> Prefixes:
    """Return what is known without reading what the acts write."""
    import numpy

    acts = Step.objects.filter(episode__in=recorded.values()).values_list("episode")
    counts = dict(acts.annotate(Count("pk")).order_by())
    nothing = Prefixes.nothing(len(pool))
    of, unknown = nothing.of.copy(), numpy.full(len(pool), -1)
    of[numpy.searchsorted(pool.tasks, list(recorded))] = [counts[pk] for pk in recorded.values()]
    return replace(nothing, of=of, clean=numpy.where(of > 0, unknown, 0), shortest=unknown)


def clean_acts_of(recorded: Solutions, items: list[DrawnTask], checks: LeakChecks) -> CleanOf:
    """Return a function that gives the number of acts drawn for a task.

    It gives 0 if those acts hold the answer or are the whole solution.
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
