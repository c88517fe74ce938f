"""Previews beside lists, as fragments. Without scripts a row's link leads to the full page."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.peek.page import EpisodePeek, RunPeek, TaskPeek
from trajectories.lab.step.outcome import ending_of
from trajectories.lab.step.views import step_number
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def episode_peek(request: LabRequest, episode_id: int) -> HttpResponse:
    peek = EpisodePeek(episode_id, index=step_number(request.GET.get("step", "")))
    ending = ending_of(peek.episode, user=request.user, session=request.session)
    context = {"peek": peek, "row": peek.row, "episode": peek.episode, "ending": ending}
    return render(request, "lab/peek/_episode.html", context)


@lab_page
def run_peek(request: LabRequest, run_id: int) -> HttpResponse:
    peek = RunPeek(run_id)
    return render(request, "lab/peek/_run.html", {"peek": peek, "row": peek.row, "run": peek.row.run})


@lab_page
def task_peek(request: LabRequest, task_id: int) -> HttpResponse:
    peek = TaskPeek(task_id)
    return render(request, "lab/peek/_task.html", {"peek": peek, "row": peek.row, "task": peek.row.task})
