"""Views of an episode's pages. None of them knows whether an answer is right."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from core.episodes import answer_check
from core.episodes.presentation import Look, look_read
from core.episodes.tokens import token_open
from core.errors import GymError
from core.storage import disk
from core.storage.blobs import blob_response
from gymsite.arena import callers, episodes, events, forms, panels, pop_ups, recording_chunks, site_dispatch
from gymsite.arena.sites.site import Message
from gymsite.arena.wording import WORDINGS
from tasks_app import kinds
from tasks_app.figures import list_figures
from tasks_app.questions import Visit, questions

NO_PAGE = Message(
    title="There is no page at this address",
    text="You can reach it through the links and forms of the other pages.",
    status=405,
)


NOT_NOW = Message(
    title="This answer was not accepted", text="The pages of this episode are being restored.", status=409
)

TAKEN = Message(title="A person has taken over", text="Wait until this episode is handed back.", status=409)

View = Callable[..., HttpResponseBase]


def only(*methods: str) -> Callable[[View], View]:
    """Restrict a view to these methods; answer others with 405, on a mock site within its frame."""

    def checked(view: View) -> View:
        @wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method in methods:
                return view(request, *args, **kwargs)
            response = message_instead(request, NO_PAGE)
            response["Allow"] = ", ".join(methods)
            return response

        return answered

    return checked


@require_GET
def health(_request: HttpRequest) -> HttpResponse:
    """Report that the server is running."""
    return HttpResponse("ok", content_type="text/plain")


@only("GET", "HEAD")
def first_page(request: HttpRequest, token: str) -> HttpResponse:
    """Serve the question, or after an answer was submitted, the page that confirms it."""
    episode = find_episode(request, token)
    if not episode.is_open:
        return _done(request, episode)
    return question_page(request, episode)


@only("GET", "HEAD", "POST")
def site_page(request: HttpRequest, token: str, rest: str) -> HttpResponse:
    """Serve a page of a mock site other than its home page, or accept a form there. Raises ``Http404``."""
    episode = find_episode(request, token)
    if episode.kind != kinds.SITE:
        raise Http404
    if not episode.is_open:
        return _done(request, episode)
    try:
        form = forms.read_answer_form(request) if request.method == "POST" else None
    except GymError as error:
        root = "../" * rest.count("/") or "./"
        return refused_page(root, code=error.code if error.code in forms.UNREADABLE else "too_large")
    return _site(request, episode, path=rest, form=form)


@only("GET", "HEAD")
def picture(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Serve a picture of the task, with the same bytes as in arms without a page. Raises ``Http404``."""
    episode = find_episode(request, token, is_counted=False)
    for figure in list_figures(episode.payload):
        if figure.name == name:
            return blob_response(request, figure.sha256)
    raise Http404


@only("GET", "HEAD")
def done(request: HttpRequest, token: str) -> HttpResponse:
    """Serve the page that confirms a submission."""
    episode = find_episode(request, token)
    if episode.is_open:
        return HttpResponseRedirect("./")
    return _done(request, episode)


@only("POST")
def page_events(request: HttpRequest, token: str) -> HttpResponse:
    """Store a batch of page events. Past the caps, drop it silently. Raises ``Http404``."""
    episode_id = find_episode_id(request, token)
    if callers.read_as_of(request) is not None:
        return HttpResponse(status=204)
    try:
        batch = events.batch_read(forms.body_read(request, limit=events.BATCH_MAX_BYTES))
    except GymError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    if not events.batch_store(episode_id=episode_id, batch=batch, step=callers.read_step(request)):
        raise Http404
    return HttpResponse(status=204)


@only("POST")
def recording_chunk(request: HttpRequest, token: str) -> HttpResponse:
    """Store a chunk of the DOM recording of an episode that is recorded in full. Raises ``Http404``.

    Chunks are stored even while a fork is restored: a page's first chunk contains the whole page, and without
    it nothing that happens there later could be replayed.
    """
    episode_id = find_episode_id(request, token)
    try:
        claim = recording_chunks.claim_read(request.headers.get(recording_chunks.HEADER, ""))
        packed = recording_chunks.body_packed(
            forms.body_read(request, limit=recording_chunks.CHUNK_MAX_BYTES)
        )
    except GymError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    stored = recording_chunks.chunk_store(
        episode_id=episode_id, claim=claim, packed=packed, step=callers.read_step(request)
    )
    if stored == "gone":
        raise Http404
    if stored == "not_full":
        message = "The pages of this episode are not recorded in full."
        return HttpResponse(message, status=403, content_type="text/plain")
    return HttpResponse(status=204)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    text = "Its address is too long or not well formed."
    return message_instead(request, Message(title="This request cannot be read", text=text, status=400))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Serve the page that wrong, expired and finished tokens and unknown addresses have in common."""
    return message_instead(request, site_dispatch.NOTHING)


def too_many_requests(request: HttpRequest, *, wait_s: float) -> HttpResponse:
    """Answer 429 without using the database; ``Retry-After`` gives the time to wait."""
    response = _message(request, title="Too many requests. Wait a moment, then try again.", status=429)
    response["Retry-After"] = str(math.ceil(wait_s))
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    if disk.is_disk_full_error(sys.exc_info()[1]):
        return _message(request, title="Our disk is full, so nothing was stored", status=507)
    return _message(request, title="Something went wrong on our side", status=500)


def find_episode_id(request: HttpRequest, token: str) -> int:
    """Return the id of the token's episode; a person's token works during a takeover. Raises ``Http404``."""
    if (session := callers.session_open(request, token)) is not None:
        return session.episode_id
    episode_id = token_open(token=token, key=settings.TOKEN_KEY)
    if episode_id is None:
        raise Http404
    return episode_id


def find_episode(request: HttpRequest, token: str, *, is_counted: bool = True) -> episodes.PageEpisode:
    """Return a page's episode, and count a GET as a page view. Raises ``Http404`` if it has no pages."""
    counted = is_counted and request.method == "GET"
    episode = episodes.page_open(
        episode_id=find_episode_id(request, token),
        step=callers.read_step(request),
        is_counted=counted,
        noted=episodes.build_note(
            _relative_path(request, token),
            request.META.get("QUERY_STRING", ""),
            is_document=callers.is_document(request),
        ),
        as_of=callers.read_as_of(request),
        takeover=callers.get_takeover(request),
    )
    if episode is None:
        raise Http404
    return episode


def _relative_path(request: HttpRequest, token: str) -> str:
    """Return the path below the episode's first page."""
    return request.path.partition(f"/{token}/")[2]


def refused_page(root: str, *, page: str = "", code: str) -> HttpResponse:
    """Redirect to a page that gives the reason, because nobody can return to the response to a form."""
    return forms.SeeOther(f"{root}{site_dispatch.with_aside(page, refused=code)}")


def question_page(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    *,
    status: int = 200,
    error: GymError | None = None,
    answers: tuple[str, ...] = (),
) -> HttpResponse:
    """Serve the page that shows a task and accepts its answer; for a mock site, serve the home page."""
    if episode.kind == kinds.SITE:
        return _site(request, episode, status=status, error=error)
    kind = questions.get(episode.kind)
    look = look_read(episode.presentation)
    tools = episode.tools & kind.tools.union(kind.own_tools(episode.payload))
    visit = Visit(tools=tools, query=request.GET.dict(), answers=answers, call=episode.call)
    context = {
        **kind.render(episode.payload, visit),
        **_frame(request, episode, look),
        "wording": WORDINGS[look.wording],
        "tools": tools,
        "answers": answers or episode.drafts,
        **_answering(episode),
        "form_template": kind.form_template,
        # Typed text, runs and refusals are shown with the form, which therefore must not be hidden behind a
        # button.
        "is_form_open": bool(
            error or answers or (tools & kind.tools and episode.call) or episode.first_answer
        ),
        "panels": panels.choose_panels(episode.payload, look),
        "slow_ms": panels.SLOW_MS[look.slow],
        "pop_ups": pop_ups.choose_pop_ups(episode.payload, look),
        "error": error,
    }
    return render(request, kind.template, context, status=error.status if error else status)


def _site(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    *,
    path: str = "",
    form: QueryDict | None = None,
    status: int = 200,
    error: GymError | None = None,
    message: Message | None = None,
) -> HttpResponse:
    """Serve a mock site's page with the task bar, and if an answer was refused, with the reason."""
    kind = questions.get(episode.kind)
    look = look_read(episode.presentation)
    code = "" if message else request.GET.get(site_dispatch.REFUSED, "")
    error = forms.refusal(code) if code in forms.REFUSALS else error
    if code in forms.UNREADABLE:
        why = forms.refusal(code)
        message = Message(title="This form was not accepted", text=why.message, status=why.status)
    frame = {
        **kind.render(episode.payload, Visit()),
        **_frame(request, episode, look),
        "has_task_bar": episode.has_task_bar,
        "is_task_open": bool(error or episode.first_answer) or episode.site_events <= 1,
        "task": episode.payload["text"],
        "answers": episode.first_answer.values if episode.first_answer else (),
        **_answering(episode),
        "error": error,
    }
    return site_dispatch.answer(
        request,
        episode,
        path=path,
        form=form,
        step=callers.read_step(request),
        look=look,
        frame=frame,
        status=error.status if error else 0 if status == 200 else status,
        message=message,
    )


def _done(request: HttpRequest, episode: episodes.PageEpisode) -> HttpResponse:
    text = "Your answer has been recorded. There is nothing more to do here."
    return _episode_message(request, episode, title="Answer recorded", text=text)


def taken_page(request: HttpRequest, episode: episodes.PageEpisode) -> HttpResponse:
    title = "An answer has already been recorded"
    counts = "The one after the check" if episode.is_checked else "Only the first answer"
    text = f"{counts} counts. There is nothing more to do here."
    return _episode_message(request, episode, title=title, text=text, status=409)


def _episode_message(
    request: HttpRequest, episode: episodes.PageEpisode, *, title: str, text: str, status: int = 200
) -> HttpResponse:
    frame = _frame(request, episode, look_read(episode.presentation))
    return render(request, "arena/message.html", {**frame, "title": title, "text": text}, status=status)


def _answering(episode: episodes.PageEpisode) -> dict[str, object]:
    """Build the form's context; ``check`` is the request to check the first answer, if there is one."""
    return {
        "takes_answer": episode.answer_channel == "page",
        "check": answer_check.REQUEST if episode.first_answer else "",
    }


def _frame(request: HttpRequest, episode: episodes.PageEpisode, look: Look) -> dict[str, object]:
    return {
        "look": look,
        "step": callers.read_step(request),
        "is_recorded": episode.recording != "off",
        "is_recorded_in_full": episode.recording == "full",
        "session": callers.get_session(request),
    }


def message_instead(request: HttpRequest, message: Message) -> HttpResponse:
    """Serve a message in place of a page; in an open episode of a mock site, within the site's frame."""
    token = request.resolver_match.kwargs.get("token", "") if request.resolver_match else ""
    # The episode may have ended in the meantime.
    with suppress(Http404):
        if callers.is_taken(find_episode_id(request, token)) and callers.get_session(request) is None:
            return _message(request, title=TAKEN.title, status=TAKEN.status)
        episode = find_episode(request, token, is_counted=False)
        if episode.is_open and episode.kind == kinds.SITE:
            return _site(request, episode, path=_relative_path(request, token), message=message)
    return _message(request, title=message.title, status=message.status)


def _message(request: HttpRequest, *, title: str, status: int) -> HttpResponse:
    """Serve a page outside of any episode. Nothing in it depends on the request."""
    context = {**site_dispatch.OUTSIDE, "look": Look(), "title": title, "text": ""}
    return render(request, "arena/message.html", context, status=status)
