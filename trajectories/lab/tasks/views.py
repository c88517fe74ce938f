from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from core.statements import TooSlow, statements_within
from trajectories.lab import access, slow_queries
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.forms import TaskFilter, misnamed
from trajectories.lab.queries import episodes, tallies, tasks
from trajectories.lab.text.questions import problem_shape


@lab_page
def task_list(request: LabRequest) -> HttpResponse:
    """Tasks by filters; 503 with the sentence that tells it when the search for them was stopped."""
    form = TaskFilter(request.GET, benchmarks=tasks.benchmarks_known(), splits=tasks.splits_known())
    filters = form.filters()
    after = filters.pop("cursor", None)
    page = _page(filters, after=after)
    context = {
        "here": "tasks",
        "form": form,
        "problems": [*form.problems(), *misnamed(request.GET, known=form.fields, of="the list of tasks")],
        "page": page,
        "is_first": after is None,
    }
    template = "lab/tasks/_table.html" if access.wants_fragment(request) else "lab/tasks/tasks.html"
    if page is None:
        return slow_queries.said_too_slow(request, template, context)
    return render(request, template, context)


def _page(filters: dict[str, Any], *, after: int | None) -> tasks.TaskPage | None:
    """None where looking was stopped. The first tasks of all are read by their key."""
    if not filters:
        return tasks.task_page(filters={}, after=after)
    try:
        with statements_within(slow_queries.SEARCH_MS):
            return tasks.task_page(filters=filters, after=after)
    except TooSlow:
        return None


@lab_page
def task_detail(request: LabRequest, task_id: int) -> HttpResponse:
    task = tasks.task_get(task_id)
    golds = access.sees_golds(request.user)
    context = {
        "here": "tasks",
        "task": task,
        "shape": problem_shape(task),
        "arms": tallies.task_tallies_by_arm(task_id=task.pk),
        "page": episodes.episodes_newest(task_id=task.pk),
        "sees_golds": golds,
        "gold": episodes.gold_current(task_id=task.pk) if golds else None,
        "sources": {},
    }
    return render(request, "lab/tasks/task.html", context)
