"""Data of an episode as JSON: the index that the timeline is built from, matches, recordings."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from trajectories.lab.step.index import episode_index as index_of
from trajectories.lab.step.views import step_number
from trajectories.record.capture import chunks
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.queries import episodes, prunings, step_matches

PRIVATE_FILE = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@lab_page
def episode_index(request: LabRequest, episode_id: int) -> HttpResponse:
    """The index from step number ``?from`` on, with ``?thoughts`` also how each thought begins."""
    first = max(1, step_number(request.GET.get("from", "")) or 1)
    episode = episodes.episode_get(episode_id)
    return _json(index_of(episode, first=first, has_thoughts="thoughts" in request.GET))


@lab_page
def episode_find(request: LabRequest, episode_id: int) -> HttpResponse:
    """``steps`` are pairs of a step number and the names of the texts that hold ``?find``; ``words`` label
    those names."""
    episode = episodes.episode_alone(episode_id)
    find = step_matches.find_query(request.GET.get("find"))
    matches = step_matches.steps_matching(episode_id=episode.pk, find=find)
    rows = [(match.index, match.places) for match in matches.matches]
    return _json({"find": find, "steps": rows, "is_cut": matches.is_cut, "words": step_matches.PLACES})


@lab_page
def page_recording(request: LabRequest, episode_id: int, page: str) -> HttpResponseBase:
    """All rrweb events of one page load, and which chunks could not be read."""
    rows = chunks.chunks_of(episode_id=episode_id, page=page)
    if not rows and prunings.is_pruned(episode_id, "recordings"):
        return HttpResponse(
            prunings.RECORDING_PRUNED, content_type="text/plain", headers=PRIVATE_FILE, status=410
        )
    if not rows:
        raise Http404(f"Episode {episode_id} has no recording of this page load.")
    parts = chunks.page_json(page=page, chunks=rows, is_capped=chunks.is_capped(episode_id=episode_id))
    return StreamingHttpResponse(parts, content_type="application/json", headers=PRIVATE_FILE)


def _json(content: dict[str, Any]) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(content), content_type="application/json")
