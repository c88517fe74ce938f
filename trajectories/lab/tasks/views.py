from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render

from trajectories.lab.tasks.pages import TaskPage, TasksPage
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def task_list(request: LabRequest) -> HttpResponse:
    """Tasks by filters; 503 when the search for them took too long."""
    page = TasksPage(request.GET)
    if page.view.is_scattered and not request.htmx:
        return redirect(page.view.address())
    context = {"here": "tasks", "page": page}
    return slow_queries.page_render(request, "tasks/tasks", context, is_too_slow=page.rows is None)


@lab_page
def task_detail(request: LabRequest, task_id: int) -> HttpResponse:
    page = TaskPage(task_id, user=request.user)
    return render(request, "lab/tasks/task.html", {"here": "tasks", "page": page, "task": page.task})
