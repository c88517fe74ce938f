from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render

from trajectories.fidelity import sample
from trajectories.lab.access import LabRequest, lab_deed, lab_page, wants_fragment
from trajectories.lab.queries import episodes, steps
from trajectories.lab.queries.fidelity import step_fidelity
from trajectories.lab.text.fidelity import fidelity_said
from trajectories.models import Episode, Step


@lab_page
def step_compared(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """A step's screenshot, its replay as it was drawn, and where they differ; for htmx the badge alone."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_named(episode=episode, index=index)
    return render(request, _template(request), _context(request, episode, step))


@lab_deed
def step_compare(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Have a step's replay checked, again if need be: the sweeper sends it, before those that nobody asked
    for. 409 before the episode has ended, while its recording still comes in."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_named(episode=episode, index=index)
    if episode.finished_at is None:
        return render(
            request, _template(request), _context(request, episode, step), status=HTTPStatus.CONFLICT
        )
    sample.step_wait_again(episode_id=episode.pk, index=step.index)
    if wants_fragment(request):
        return render(request, _template(request), _context(request, episode, step))
    return redirect("step_compared", episode.pk, step.index)


def _template(request: LabRequest) -> str:
    return "lab/step/_fidelity.html" if wants_fragment(request) else "lab/step/fidelity.html"


def _context(request: LabRequest, episode: Episode, step: Step) -> dict[str, Any]:
    found = step_fidelity(episode_id=episode.pk, index=step.index)
    return {
        "here": "episodes",
        "episode": episode,
        "run": episode.run,
        "step": step,
        "is_news": wants_fragment(request),
        "fidelity": found,
        "said": fidelity_said(found, has_ended=episode.finished_at is not None),
    }
