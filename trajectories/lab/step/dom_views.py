"""DOM replays of steps, and the check of their fidelity."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from trajectories.behaviour.dom_replay import document, scenes
from trajectories.behaviour.fidelity import sample
from trajectories.models import Episode, Step
from trajectories.shell.access import LabRequest, lab_action, lab_page, page_render, wants_fragment
from trajectories.shell.queries import episodes, steps
from trajectories.shell.queries.fidelity import step_fidelity
from trajectories.shell.queries.replays import Replay


@lab_page
def step_replay(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The replay with what is known about it: a page, or with ``?fragment`` a panel of the step's."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    replay = Replay(
        episode=episode,
        noun="step",
        address=reverse("step_dom", args=[episode.pk, step.index]),
        frame_title=f"The page before the action of step {step.index}, rebuilt from its recording",
        outcome=scenes.scene_of(step, resolve=document.addresses_of(episode)),
    )
    return page_render(request, "step/dom", {**_context(episode, step), "replay": replay})


@lab_page
def step_dom(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The page before the step's action, rebuilt from its recording, to look at only."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    scene = scenes.scene_of(step, resolve=document.addresses_of(episode))
    if isinstance(scene, scenes.NoScene):
        raise Http404(f"Step {index} of episode {episode_id} cannot be replayed from a recording.")
    html, policy = document.document_in_the_lab(scene)
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


@lab_page
def step_compared(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """A step's screenshot, its replay as rendered and their difference; for htmx only the badge."""
    episode = episodes.episode_get(episode_id)
    return _fidelity(request, episode, steps.step_named(episode=episode, index=index))


@lab_action
def step_compare(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Request a (new) check of a step's replay; it goes ahead of checks that nobody requested.

    409 while the episode runs and its recording still arrives.
    """
    episode = episodes.episode_get(episode_id)
    step = steps.step_named(episode=episode, index=index)
    if episode.finished_at is None:
        return _fidelity(request, episode, step, status=HTTPStatus.CONFLICT)
    sample.step_wait_again(episode_id=episode.pk, index=step.index)
    if wants_fragment(request):
        return _fidelity(request, episode, step)
    return redirect("step_compared", episode.pk, step.index)


def _fidelity(
    request: LabRequest, episode: Episode, step: Step, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    context = {**_context(episode, step), "is_news": wants_fragment(request)}
    return page_render(request, "step/fidelity", context, status=status)


def _context(episode: Episode, step: Step) -> dict[str, Any]:
    fidelity, label = step_fidelity(episode, index=step.index)
    shown = {"episode": episode, "run": episode.run, "step": step}
    return {"here": "search", **shown, "fidelity": fidelity, "label": label}
