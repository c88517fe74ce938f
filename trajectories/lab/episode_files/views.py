from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from trajectories.lab.episode_files import html_file
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import selectors
from trajectories.shell import access
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.queries import episodes

READER = 0


@lab_page
def episode_as_html(request: LabRequest, episode_id: int) -> HttpResponseBase:
    """Send one file that opens offline; ``?golds=1`` adds the gold for users who may see it."""
    episode = episodes.episode_get(episode_id)
    golds = asks_for_golds(request)
    parts = html_file.episode_html(episode, golds=golds)
    response = StreamingHttpResponse(parts, content_type="text/html; charset=utf-8")
    response["Content-Security-Policy"] = f"{html_file.policy()}; sandbox"
    return as_file(response, _name(episode_id, "html", golds=golds))


@lab_page
def episode_as_json(request: LabRequest, episode_id: int) -> HttpResponseBase:
    """Send the trajectory as the API does; with ``?golds=1``, as a key with the scope ``golds`` gets it."""
    episodes.episode_get(episode_id)
    golds = asks_for_golds(request)
    principal = reader(request, golds=golds)
    text = selectors.trajectory_text(episode_id=episode_id, principal=principal)
    return as_file(
        HttpResponse(text, content_type="application/json"), _name(episode_id, "json", golds=golds)
    )


def _name(episode_id: int, kind: str, *, golds: bool) -> str:
    """Name the file so that one with the gold shows it, and is not shared by mistake."""
    return f"episode-{episode_id}{'-with-gold' if golds else ''}.{kind}"


def reader(request: LabRequest, *, golds: bool) -> Principal:
    """Return the logged-in user as a caller of the API."""
    scopes = {"read", "golds"} if golds else {"read"}
    return Principal(
        key_id=READER,
        name=request.user.get_username(),
        scopes=frozenset(scopes),
        splits=frozenset(),
        project=None,
    )


def asks_for_golds(request: LabRequest) -> bool:
    """Return whether the user requests golds and may see them."""
    return request.GET.get("golds") == "1" and access.sees_golds(request.user)


def as_file(response: HttpResponseBase, name: str) -> HttpResponseBase:
    """Make the response a download."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
