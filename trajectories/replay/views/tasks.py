from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.replay import access
from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.forms import TaskFilter
from trajectories.replay.problems import problem_shape
from trajectories.replay.selectors import episodes, tallies, tasks


@lab_page
def task_list(request: LabRequest) -> HttpResponse:
    form = TaskFilter(request.GET, benchmarks=tasks.benchmarks_known(), splits=tasks.splits_known())
    filters = form.filters()
    after = filters.pop("cursor", None)
    page = tasks.task_page(filters=filters, after=after)
    fragment = access.wants_fragment(request)
    return render(
        request,
        "lab/_task_table.html" if fragment else "lab/tasks.html",
        {"here": "tasks", "form": form, "page": page, "is_first": after is None},
    )


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
    return render(request, "lab/task.html", context)
