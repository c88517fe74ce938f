"""Views of a step's page and texts, and redirection to a step by its number."""

from __future__ import annotations

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from core.episodes.tokens import mask_tokens
from core.errors import GymError
from trajectories.lab.bookmarks.selectors import marks_of
from trajectories.lab.step import interventions
from trajectories.lab.step.changes import step_changes as changes_of
from trajectories.lab.step.frame import Frame, build_scrubber
from trajectories.lab.step.outcome import SHOWS_GOLDS, ending_of
from trajectories.lab.step.page import StepPage
from trajectories.models import Episode
from trajectories.shell.access import (
    LabRequest,
    lab_action,
    lab_page,
    part_render,
    sees_golds,
    wants_fragment,
)
from trajectories.shell.queries import episodes, steps
from trajectories.shell.queries.step_matches import find_query
from trajectories.shell.updates import Updates

# The query parameter for the number that was requested when another step is shown instead.
REQUESTED = "requested"
INDEX_DIGITS = 10
TEXTS = {"thought": "thought", "raw": "raw", "observation": "observation_text"}


@lab_page
def step_detail(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show one step as a page, or with ``?fragment`` only the part that changes from step to step."""
    find = find_query(request.GET.get("find"))
    is_trusted = sees_golds(request.user)
    if "fragment" in request.GET:
        step = steps.step_alone(episode_id=episode_id, index=index)
        return _fragment(request, StepPage(episode=step.episode, step=step, sees_golds=is_trusted, find=find))
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    requested = step_number(request.GET.get(REQUESTED, ""))
    page = StepPage(episode=episode, step=step, sees_golds=is_trusted, find=find, requested=requested)
    return _whole(request, page)


@lab_action
def intervention_write(request: LabRequest, episode_id: int, index: int) -> HttpResponseBase:
    """Store the reader's text as an intervention in a step's thought; if refused, show the page with the
    reason.

    Readers who may not see golds get 403, because refusals reveal the answer.
    """
    if not sees_golds(request.user):
        raise PermissionDenied
    substep, text = (request.POST.get(name, "").replace("\0", "") for name in ("substep", "text"))
    try:
        interventions.intervention_write(
            request.user, episode_id=episode_id, step=index, substep=substep, text=text
        )
    except GymError as error:
        episode = episodes.episode_get(episode_id)
        step = steps.get_named_step(episode=episode, index=index)
        posted = interventions.Posted(substep=substep, text=text, error=error.message)
        page = StepPage(episode=episode, step=step, sees_golds=True, posted=posted)
        return _whole(request, page, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return redirect(f"{reverse('step', args=[episode_id, index])}#interventions")


def _whole(request: LabRequest, page: StepPage, *, status: int = HTTPStatus.OK) -> HttpResponse:
    episode, step = page.episode, page.step
    frame = Frame(episode=episode, index=step.index, find=page.find)
    shown = {"page": page, "frame": frame, "episode": episode, "run": episode.run, "step": step}
    context = {
        "here": "search",
        **shown,
        "marks": marks_of(request.user, episode_id=episode.pk, step=step.index),
        "ending": ending_of(episode, user=request.user, session=request.session),
    }
    return render(request, "lab/step/step.html", context, status=status)


@lab_page
def step_go(request: LabRequest, episode_id: int) -> HttpResponse:
    """Redirect to step ``?index``, or to the nearest step that was recorded.

    With ``?fragment`` the response is that step's part of the page itself, which saves a redirect.
    """
    requested = step_number(request.GET.get("index", ""))
    step = steps.step_nearest(episode_id=episode_id, index=requested or 1)
    if "fragment" in request.GET:
        find = find_query(request.GET.get("find"))
        page = StepPage(
            episode=step.episode,
            step=step,
            sees_golds=sees_golds(request.user),
            find=find,
            requested=requested,
        )
        return _fragment(request, page)
    query = request.GET.copy()
    query.pop("index", None)
    if requested not in (None, step.index):
        query[REQUESTED] = str(requested)
    return redirect(reverse("step", args=[episode_id, step.index], query=query))


@lab_page
def step_changes(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show the differences from the previous step, as a page or with ``?fragment`` as a panel."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    context = {"episode": episode, "run": episode.run, "step": step, "changes": changes_of(step)}
    return part_render(
        request,
        "step/changes",
        context,
        heading=f"What changed at step {step.index}",
        crumb="changes",
        script="js/lab/step/picture_diff.js",
    )


@lab_page
def step_text(request: LabRequest, episode_id: int, index: int, name: str) -> HttpResponse:
    """Show the full text of which a step's page shows only the beginning."""
    step = steps.step_alone(episode_id=episode_id, index=index)
    response = HttpResponse(mask_tokens(getattr(step, TEXTS[name])), content_type="text/plain; charset=utf-8")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


@lab_page
def episode_news(request: LabRequest, episode_id: int) -> HttpResponse:
    """Render the episode's state for the viewer's header; 204 if the reader has ``seen`` this version."""
    episode = episodes.episode_live(episode_id)
    updates = Updates(episode)
    if request.GET.get("seen") == updates.version:
        return HttpResponse(status=204)
    return render(request, "lab/step/_updates.html", {"episode": episode, "updates": updates})


@lab_page
def episode_scrubber(request: LabRequest, episode_id: int) -> HttpResponse:
    """Render the scrubber again for an episode that has grown."""
    episode = episodes.episode_alone(episode_id)
    context = {"episode": episode, "scrubber": build_scrubber(episode_id=episode.pk)}
    return render(request, "lab/step/_scrubber.html", context)


@lab_page
def episode_answer(request: LabRequest, episode_id: int) -> HttpResponse:
    """Render the answer next to the gold, which is the part of a step's page that changes upon judging."""
    return _answer(request, episodes.episode_get(episode_id))


@lab_action
def gold_switch(request: LabRequest, episode_id: int) -> HttpResponse:
    """Switch the display of golds next to answers on or off, until the reader logs out."""
    if not sees_golds(request.user):
        raise PermissionDenied
    request.session[SHOWS_GOLDS] = request.POST.get("shows") == "1"
    if wants_fragment(request):
        return _answer(request, episodes.episode_get(episode_id))
    index = step_number(request.POST.get("step", ""))
    return redirect(reverse("step_go", args=[episode_id], query={"index": index or 1}))


def step_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= INDEX_DIGITS else None


def _answer(request: LabRequest, episode: Episode) -> HttpResponse:
    context = {"episode": episode, "ending": ending_of(episode, user=request.user, session=request.session)}
    return render(request, "lab/step/_answer.html", context)


def _fragment(request: LabRequest, page: StepPage) -> HttpResponse:
    marks = marks_of(request.user, episode_id=page.episode.pk, step=page.step.index)
    context = {"page": page, "episode": page.episode, "step": page.step, "marks": marks}
    return render(request, "lab/step/_step.html", context)
