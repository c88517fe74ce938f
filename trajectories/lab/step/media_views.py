"""Views of a step's pictures, of its page events as files, and of its page's replay and replay fidelity."""

from __future__ import annotations

import hashlib
import io
from http import HTTPStatus
from typing import Any

import msgspec
from django.http import Http404, HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from core.episodes import drawings
from core.storage import thumbnails
from trajectories.behaviour.dom_replay import document, scenes
from trajectories.behaviour.fidelity import sample
from trajectories.lab.step.index import episode_index as index_of
from trajectories.lab.step.views import step_number
from trajectories.models import Episode, Step
from trajectories.record import projects
from trajectories.record.blobs import services
from trajectories.record.capture import chunks, pictures
from trajectories.record.capture.captions import captioned
from trajectories.shell.access import (
    LabRequest,
    annotator_page,
    lab_action,
    lab_page,
    page_render,
    part_render,
    wants_fragment,
)
from trajectories.shell.queries import episodes, replays, step_matches, steps
from trajectories.shell.queries.fidelity import step_fidelity
from trajectories.shell.queries.replays import Replay
from trajectories.shell.screenshots.marks import StepMarks, build_caption, step_draw, step_marks
from trajectories.shell.text.untrusted import cut, visible

PRIVATE_FILE = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Increase this number whenever pictures are drawn differently.
VERSION = 2
PICTURE_CACHE_S = 60
DRAWING_CACHE_S = 24 * 3600
SMALL = "small"
# Print needs twice the resolution of a screen.
SCALES = {"1": 1, "2": 2}
CHOICES = {"size": (SMALL,), "scale": tuple(SCALES), "caption": ("0", "1")}
SHOWN_CHARS = 40
FORMATS: dict[str, tuple[str, dict[str, int]]] = {
    "webp": ("image/webp", {"quality": 85, "method": 2}),
    "png": ("image/png", {"compress_level": 6}),
}


@lab_page
def episode_index(request: LabRequest, episode_id: int) -> HttpResponse:
    """Send the step index from step ``?from`` on; ``?thoughts`` adds the beginning of each thought."""
    first = max(1, step_number(request.GET.get("from", "")) or 1)
    episode = episodes.episode_get(episode_id)
    return _json(index_of(episode, first=first, has_thoughts="thoughts" in request.GET))


@lab_page
def episode_find(request: LabRequest, episode_id: int) -> HttpResponse:
    """Send ``steps``, pairs of a step number and the names of its texts that contain ``?find``. ``words``
    maps those names to labels.
    """
    episode = episodes.episode_alone(episode_id)
    find = step_matches.find_query(request.GET.get("find"))
    matches = step_matches.steps_matching(episode_id=episode.pk, find=find)
    rows = [(match.index, match.places) for match in matches.matches]
    return _json({"find": find, "steps": rows, "is_cut": matches.is_cut, "words": step_matches.PLACES})


@lab_page
def page_recording(request: LabRequest, episode_id: int, page: str) -> HttpResponseBase:
    """Send all rrweb events of one page load, and list the chunks that could not be read."""
    rows = chunks.list_chunks(episode_id=episode_id, page=page)
    if not rows and replays.is_pruned(episode_id, "recordings"):
        return HttpResponse(
            replays.RECORDING_PRUNED, content_type="text/plain", headers=PRIVATE_FILE, status=410
        )
    if not rows:
        raise Http404(f"Episode {episode_id} has no recording of this page load.")
    parts = chunks.page_json(page=page, chunks=rows, is_capped=chunks.is_capped(episode_id=episode_id))
    return StreamingHttpResponse(parts, content_type="application/json", headers=PRIVATE_FILE)


def _json(content: dict[str, Any]) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(content), content_type="application/json")


@annotator_page
def blob_detail(request: LabRequest, sha256: str) -> HttpResponseBase:
    """Send a blob's bytes, as the API does, to a browser with a session instead of a key.

    A blob's hash appears only on pages that show the blob, so annotators can see only what they are to label.
    """
    return services.blob_response(request, sha256, viewer=projects.EVERYTHING)


@lab_page
def blob_thumbnail(request: LabRequest, sha256: str) -> HttpResponseBase:
    pictures.thumbnail_ensure(sha256)
    return thumbnails.thumbnail_response(sha256)


@lab_page
def drawing(request: LabRequest, name: str, width: int) -> HttpResponse:
    """Send a mock site's picture for replays: the same bytes that the arena serves under this name."""
    try:
        data = drawings.read_drawing(name, width=width)
    except KeyError:
        raise Http404("There is no such picture.") from None
    cache = {"Cache-Control": f"private, max-age={DRAWING_CACHE_S}"}
    return HttpResponse(data, content_type="image/webp", headers={**PRIVATE_FILE, **cache})


@lab_page
def step_picture(request: LabRequest, episode_id: int, index: int, kind: str) -> HttpResponseBase:
    """Send a step's screenshot with the action drawn on it, for papers and slides.

    ``?size=small`` gives a thumbnail, ``?scale=2`` doubles the size, and ``?caption=1`` adds a caption below.
    Other values are answered with 400, so that nobody gets a figure other than the one requested.
    """
    if problems := _problems(request):
        text = "\n".join([*problems, ""])
        return HttpResponse(text, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    is_small = request.GET.get("size") == SMALL
    scale = 1 if is_small else SCALES.get(request.GET.get("scale", ""), 1)
    drawn_marks = step_marks(step)
    caption = build_caption(episode, step) if request.GET.get("caption") == "1" else None
    etag = _etag(step, drawn_marks, kind, is_small, scale, caption)
    response: HttpResponseBase = HttpResponseNotModified()
    if request.headers.get("If-None-Match") != etag:
        content_type, options = FORMATS[kind]
        picture = step_draw(step, drawn_marks, is_small=is_small, enlarged=scale)
        if picture is None:
            raise Http404(f"Step {step.index} has no screenshot that can be shown.")
        if caption is not None:
            picture = captioned(picture, caption)
        data = io.BytesIO()
        picture.save(data, kind.upper(), **options)
        response = HttpResponse(data.getvalue(), content_type=content_type)
        response["Content-Disposition"] = f'inline; filename="episode-{episode_id}-step-{index}.{kind}"'
    # Page events that change what is drawn may still arrive.
    cache = {"ETag": etag, "Cache-Control": f"private, max-age={PICTURE_CACHE_S}"}
    for name, value in {**PRIVATE_FILE, **cache}.items():
        response[name] = value
    return response


def _problems(request: LabRequest) -> list[str]:
    return [
        f"{name}: “{cut(visible(value), SHOWN_CHARS)}” is not one of {', '.join(choices)}."
        for name, choices in CHOICES.items()
        if (value := request.GET.get(name, "")) and value not in choices
    ]


def _etag(step: Step, drawn_marks: StepMarks, *options: object) -> str:
    content = f"{VERSION} {step.screenshot} {drawn_marks} {options}"
    return f'"{hashlib.sha256(content.encode(errors="replace")).hexdigest()}"'


@lab_page
def step_replay(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show the replay and its fidelity, as a page or with ``?fragment`` as a panel of the step's page."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    replay = Replay(
        episode=episode,
        noun="step",
        address=reverse("step_dom", args=[episode.pk, step.index]),
        frame_title=f"The page before the action of step {step.index}, rebuilt from its recording",
        outcome=scenes.replay_step(step, resolve=document.map_addresses(episode)),
    )
    return part_render(
        request,
        "step/dom",
        {**_context(episode, step), "replay": replay},
        heading=f"DOM replay of step {step.index}",
        crumb="DOM replay",
        script="js/lab/step/replay.js",
    )


@lab_page
def step_dom(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show a read-only replay of the page before the step's action, rebuilt from its recording."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    scene = scenes.replay_step(step, resolve=document.map_addresses(episode))
    if isinstance(scene, scenes.NoScene):
        raise Http404(f"Step {index} of episode {episode_id} cannot be replayed from a recording.")
    html, policy = document.document_in_the_lab(scene)
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


@lab_page
def step_compared(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show a step's screenshot, its rendered replay and their difference; htmx gets only the badge."""
    episode = episodes.episode_get(episode_id)
    return _fidelity(request, episode, steps.get_named_step(episode=episode, index=index))


@lab_action
def step_compare(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Request a check of a step's replay, even if it was checked before; it precedes unrequested checks.

    Answers 409 while the episode runs, because its recording is still arriving.
    """
    episode = episodes.episode_get(episode_id)
    step = steps.get_named_step(episode=episode, index=index)
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
