from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab import slow_queries
from trajectories.lab.access import LabRequest, lab_page, wants_fragment
from trajectories.lab.tasks.pages import TaskPage, TasksPage


@lab_page
def task_list(request: LabRequest) -> HttpResponse:
    """Tasks by filters; 503 when the search for them took too long."""
    page = TasksPage(request.GET)
    template = "lab/tasks/_table.html" if wants_fragment(request) else "lab/tasks/tasks.html"
    return slow_queries.page_render(
        request, template, {"here": "tasks", "page": page}, is_too_slow=page.rows is None
    )


@lab_page
def task_detail(request: LabRequest, task_id: int) -> HttpResponse:
    page = TaskPage(task_id, user=request.user)
    return render(request, "lab/tasks/task.html", {"here": "tasks", "page": page, "task": page.task})
