"""The run tool. It runs a program on the asserts that its page shows, and on no others."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from core.errors import GymError
from gymsite.arena import callers, episodes, forms, tool_calls, views
from palaestra.protocol.arms import PAGE_ARMS
from tasks_app.questions import CALLS_MAX, Visit, questions

TOOL = "run"
PROGRAM_MAX_BYTES = 64 * 1024
# A page's script sends this to request only the part of the page that shows the run.
PART_HEADER = "X-Gym-Part"

REFUSALS = {
    "busy": GymError("run_under_way", "Another run is in progress. Wait until it has finished.", status=409),
    "spent": GymError("no_runs_left", f"You have used all {CALLS_MAX} runs.", status=409),
}


@views.only("GET", "HEAD", "POST")
def run(request: HttpRequest, token: str) -> HttpResponse:
    """Start a run, or show the last one. Raises ``Http404`` if the episode has no such tool."""
    episode = views.find_episode(request, token, is_counted=False)
    if TOOL not in episode.tools & questions.get(episode.kind).tools:
        raise Http404
    if not episode.is_open:
        return views.taken_page(request, episode)
    if request.method != "POST":
        return _show(request, episode)
    typed = ""
    try:
        # Forms end lines with CRLF, which programs should not.
        typed = forms.read_answer_form(request).get(forms.ANSWER_FIELD, "").replace("\r\n", "\n")
        return _start(request, episode, typed)
    except GymError as error:
        return _show(request, episode, error=error, typed=typed)


def _start(request: HttpRequest, episode: episodes.PageEpisode, program: str) -> HttpResponse:
    if not program.strip():
        raise GymError("no_program", "Write a program first.", status=422)
    if "\0" in program:
        raise GymError("nul_in_program", "A program cannot hold NUL characters.")
    if len(program.encode(errors="replace")) > PROGRAM_MAX_BYTES:
        message = f"A program can have at most {PROGRAM_MAX_BYTES // 1024} KB."
        raise GymError("program_too_long", message, status=413)
    if episode.is_past:
        return forms.SeeOther("run")
    stored = tool_calls.call_store(
        episode_id=episode.episode_id,
        arms=list(PAGE_ARMS),
        tool=TOOL,
        text=program,
        step=callers.read_step(request),
        takeover=episode.takeover,
    )
    if stored == "gone":
        raise Http404
    if stored in REFUSALS:
        raise REFUSALS[stored]
    return forms.SeeOther("run")


def _show(
    request: HttpRequest, episode: episodes.PageEpisode, *, error: GymError | None = None, typed: str = ""
) -> HttpResponse:
    if PART_HEADER not in request.headers:
        return views.question_page(request, episode, error=error, answers=(typed,) if typed else ())
    visit = Visit(tools=episode.tools, call=episode.call)
    context = {**questions.get(episode.kind).render(episode.payload, visit), "refusal": error}
    return render(request, "arena/_run.html", context, status=error.status if error else 200)
