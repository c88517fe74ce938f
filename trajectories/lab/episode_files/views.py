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
    """Send the episode as one offline HTML file; ``?golds=1`` adds the gold if the user may see it."""
    episode = episodes.episode_get(episode_id)
    golds = asks_for_golds(request)
    parts = html_file.episode_html(episode, golds=golds)
    response = StreamingHttpResponse(parts, content_type="text/html; charset=utf-8")
    response["Content-Security-Policy"] = f"{html_file.policy()}; sandbox"
    return as_file(response, _name(episode_id, "html", golds=golds))


@lab_page
def episode_as_json(request: LabRequest, episode_id: int) -> HttpResponseBase:
    """Send the trajectory in the API's format; ``?golds=1`` adds what a key with the scope ``golds`` gets."""
    episodes.episode_get(episode_id)
    golds = asks_for_golds(request)
    principal = reader(request, golds=golds)
    text = selectors.trajectory_text(episode_id=episode_id, principal=principal)
    return as_file(
        HttpResponse(text, content_type="application/json"), _name(episode_id, "json", golds=golds)
    )


def _name(episode_id: int, kind: str, *, golds: bool) -> str:
    """Return the file's name, which shows if the file contains the gold, as a warning against sharing it."""
    return f"episode-{episode_id}{'-with-gold' if golds else ''}.{kind}"


def reader(request: LabRequest, *, golds: bool) -> Principal:
    """Return an API principal for the logged-in user."""
    scopes = {"read", "golds"} if golds else {"read"}
    return Principal(
        key_id=READER,
        name=request.user.get_username(),
        scopes=frozenset(scopes),
        splits=frozenset(),
        project=None,
    )


def asks_for_golds(request: LabRequest) -> bool:
    """Return True if the user requests golds and may see them."""
    return request.GET.get("golds") == "1" and access.sees_golds(request.user)


def as_file(response: HttpResponseBase, name: str) -> HttpResponseBase:
    """Turn a response into a download of a file with this name."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
