"""Previews of an episode, a run or a task, shown next to the list that contains it."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.lab.step.outcome import ending_of
from trajectories.lab.step.views import step_number
from trajectories.rollouts.runs.pages.pages import run_rows
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.queries import steps
from trajectories.shell.queries.episodes import episode_get
from trajectories.shell.queries.previews import rows_of
from trajectories.shell.queries.runs import run_tallies_by_arm, task_tallies_by_arm
from trajectories.shell.queries.tasks import task_get, task_rows
from trajectories.shell.text.questions import question_text
from trajectories.shell.text.untrusted import cut

THOUGHT_CHARS = 1_200


class EpisodePeek:
    """Preview of an episode at one step: the step that a search matched, or the last one."""

    def __init__(self, episode_id: int, *, index: int | None) -> None:
        self.episode = episode_get(episode_id)
        (self.row,) = rows_of({episode_id: self.episode}, [(episode_id, index)])
        at = self.row.shown or 0
        starts = steps.thought_starts(episode_id=episode_id, first=at, last=at, chars=THOUGHT_CHARS + 1)
        self.thought = cut(starts.get(at, ""), THOUGHT_CHARS)
        self.question = question_text(self.episode.task)


class RunPeek:
    def __init__(self, run_id: int) -> None:
        rows = run_rows([run_id])
        if not rows:
            raise Http404(f"There is no run {run_id}.")
        self.row = rows[0]
        self.arms = run_tallies_by_arm(run_id=run_id)


class TaskPeek:
    def __init__(self, task_id: int) -> None:
        rows = task_rows([task_id])
        if not rows:
            raise Http404(f"There is no task {task_id}.")
        self.row = rows[0]
        self.question = question_text(task_get(task_id))
        self.arms = task_tallies_by_arm(task_id=task_id)


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
