"""The view behind the forms of a tool panel: each calls a tool, and the question's page shows the result."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse

from core.errors import GymError
from gymsite.arena import callers, episodes, forms, tool_calls, views
from palaestra.protocol.arms import PAGE_ARMS
from tasks_app.questions import questions
from tasks_app.tools import calls
from tasks_app.tools.data import draw_data

QUESTION = "../"


@views.only("GET", "HEAD", "POST")
def call(request: HttpRequest, token: str, tool: str) -> HttpResponse:
    """Call a tool of the question, and redirect to the question. Raises ``Http404`` for other tools."""
    episode = views.find_episode(request, token, is_counted=False)
    if tool not in episode.tools.intersection(questions.get(episode.kind).own_tools(episode.payload)):
        raise Http404
    if not episode.is_open:
        return views.taken_page(request, episode)
    if request.method != "POST" or episode.is_past:
        return forms.SeeOther(QUESTION)
    try:
        _call(request, episode, tool, _arguments(request, tool))
    except GymError as error:
        return views.question_page(request, episode, error=error)
    return forms.SeeOther(QUESTION)


def _arguments(request: HttpRequest, tool: str) -> Mapping[str, str]:
    """Return the form's values for the tool's fields; everything else in the form is ignored."""
    form = forms.form_read(request)
    names = [field.name for field in calls.get_tool(tool).fields]
    return {name: form.get(name, "")[: calls.ARGUMENT_CHARS + 1] for name in names if name in form}


def _call(
    request: HttpRequest, episode: episodes.PageEpisode, tool: str, arguments: Mapping[str, str]
) -> None:
    """Store a call with its result. Past the limit nothing is stored, and an error tells the page why."""
    result = calls.call(tool, arguments, draw_data(episode.payload["seed"]))
    stored = tool_calls.call_store_done(
        episode_id=episode.episode_id,
        arms=list(PAGE_ARMS),
        tool=tool,
        arguments={name: value.replace("\0", "\ufffd") for name, value in arguments.items()},
        text=result.text.replace("\0", "\ufffd"),
        is_ok=result.is_ok,
        step=callers.read_step(request),
        takeover=episode.takeover,
    )
    if stored == "gone":
        raise Http404
