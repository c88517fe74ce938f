from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from core import drawings
from trajectories.capture import chunks
from trajectories.dom_replay import description, document, scenes
from trajectories.lab.access import LabRequest, lab_page, wants_fragment
from trajectories.lab.queries import episodes, steps
from trajectories.lab.queries.fidelity import step_fidelity
from trajectories.lab.text.fidelity import fidelity_said
from trajectories.models import Episode, Step

DRAWING_KEPT_S = 24 * 3600
LOADS_SHOWN = 50


@lab_page
def step_replay(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The replay with what is known about it: a page, or with ``?fragment`` a part of the step's."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    context = {"here": "episodes", "episode": episode, "run": episode.run, "step": step}
    context |= _told(episode, step)
    fragment = wants_fragment(request) or "fragment" in request.GET
    return render(request, "lab/step/_dom.html" if fragment else "lab/step/dom.html", context)


@lab_page
def step_dom(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The page as it was before a step acted, rebuilt from its recording; it can only be looked at."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    scene = scenes.scene_of(step, resolve=document.addresses_of(episode))
    if isinstance(scene, scenes.NoScene):
        raise Http404(f"Step {index} of episode {episode_id} cannot be replayed from a recording.")
    html, policy = document.document_in_the_lab(scene)
    response = HttpResponse(html)
    response["Content-Security-Policy"] = policy
    response["Referrer-Policy"] = "no-referrer"
    return response


@lab_page
def drawing(request: LabRequest, name: str, width: int) -> HttpResponse:
    """A picture of a mock site, for replays: the bytes that the arena shows under the same name."""
    try:
        data = drawings.drawing_bytes(name, width=width)
    except KeyError:
        raise Http404("There is no such picture.") from None
    response = HttpResponse(data, content_type="image/webp")
    response["Cache-Control"] = f"private, max-age={DRAWING_KEPT_S}"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _told(episode: Episode, step: Step) -> dict[str, Any]:
    scene = scenes.scene_of(step, resolve=document.addresses_of(episode))
    moment = scene.moment
    facts = description.whereabouts(moment) if moment else []
    told: dict[str, Any] = {"moment": moment, "facts": facts, "losses": description.losses(scene)}
    if isinstance(scene, scenes.NoScene):
        loads = chunks.recorded_pages(episode_id=episode.pk)
        listed = {"loads": loads[:LOADS_SHOWN], "loads_count": len(loads)}
        return {**told, "reason": description.REASONS[scene.reason], **listed}
    lasts_ms = scene.until_ms - scene.at_ms
    told |= {"scene": scene, "plays": description.duration(lasts_ms) if lasts_ms > 0 else ""}
    found = step_fidelity(episode_id=episode.pk, index=step.index)
    said = fidelity_said(found, has_ended=episode.finished_at is not None)
    return {**told, "fidelity": found, "said": said}
