"""The pages of an episode. None says whether an answer was right; none knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.request import UnreadablePostError
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from gymsite.arena import episodes, events
from gymsite.arena.sites import dispatch
from gymsite.arena.wording import WORDINGS
from gymsite.core.blobs import blob_response
from gymsite.core.errors import GymError
from gymsite.core.presentation import Look, look_read
from gymsite.core.tokens import token_open
from tasks_app.figures import figures_of
from tasks_app.questions import Visit, questions

STEP_HEADER = "X-Gym-Step"
STEP = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)
ANSWER_FIELD = "answer"
# The button that asks for one more field, for pages without JavaScript.
MORE_FIELD = "add"
# Sent by forms that take several values: one value is then a list of one, in which a bar is a bar.
SEVERAL = "several"
# Sent by forms whose fields are different things: a value keeps its place, beside an empty one too.
PLACED = "placed"
ANSWERS_MAX = 100
# Percent-encoding makes three bytes of one, and one character has at most four.
FORM_BYTES_PER_CHAR = 12
FORM_SPARE_BYTES = 4096


@require_GET
def health(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def first_page(request: HttpRequest, token: str) -> HttpResponse:
    """The question, or after its answer was taken the page that says so."""
    episode = episode_of(request, token)
    if not episode.is_open:
        return _done(request, episode)
    return question_page(request, episode)


@require_http_methods(["GET", "HEAD", "POST"])
def site_page(request: HttpRequest, token: str, rest: str) -> HttpResponse:
    """A page of a mock site below its first one, or something that is done there."""
    episode = episode_of(request, token)
    if episode.kind != dispatch.KIND:
        raise Http404
    if not episode.is_open:
        return _done(request, episode)
    try:
        form = form_of(request) if request.method == "POST" else None
    except GymError as error:
        return _message(request, title=error.message, status=error.status)
    return _site(request, episode, path=rest, form=form)


@require_safe
def picture(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """A picture of the task: the very bytes that arms without a page are given."""
    episode = episode_of(request, token, is_counted=False)
    for figure in figures_of(episode.payload):
        if figure.name == name:
            return blob_response(request, figure.sha256)
    raise Http404


@require_safe
def done(request: HttpRequest, token: str) -> HttpResponse:
    episode = episode_of(request, token)
    if episode.is_open:
        return HttpResponseRedirect("./")
    return _done(request, episode)


@require_POST
def submit(request: HttpRequest, token: str) -> HttpResponse:
    """Takes the answer once. The same answer again is as good as the first; another one changes nothing."""
    episode_id = episode_id_of(token)
    try:
        form = _form_read(request)
    except GymError as error:
        return _not_taken(request, token, error)
    try:
        _length_check(form)
        if MORE_FIELD in form:
            return _one_more(request, token, form)
        answer = _answer(form)
    except GymError as error:
        return _not_taken(request, token, error, typed=form.getlist(ANSWER_FIELD)[:ANSWERS_MAX])
    stored = episodes.submission_store(episode_id=episode_id, answer=answer, step=step_of(request))
    if stored == "gone":
        raise Http404
    if stored in ("stored", "same"):
        response = HttpResponseRedirect("done")
        response.status_code = 303
        return response
    episode = episode_of(request, token, is_counted=False)
    return taken_page(request, episode) if stored == "other" else question_page(request, episode, status=409)


@require_POST
def page_events(request: HttpRequest, token: str) -> HttpResponse:
    """Stores a batch of the recorder. Past the caps it is dropped in silence: the agent did nothing wrong."""
    episode_id = episode_id_of(token)
    try:
        batch = events.batch_read(_body(request, limit=events.BATCH_MAX_BYTES))
    except GymError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    if not events.batch_store(episode_id=episode_id, batch=batch, step=step_of(request)):
        raise Http404
    return HttpResponse(status=204)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _message(request, title="This request cannot be read", status=400)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """One body for wrong, expired and finished tokens and for addresses that never were."""
    return _message(request, title="There is nothing here", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return _message(request, title="Something went wrong on our side", status=500)


def episode_id_of(token: str) -> int:
    episode_id = token_open(token=token, key=settings.TOKEN_KEY)
    if episode_id is None:
        raise Http404
    return episode_id


def episode_of(request: HttpRequest, token: str, *, is_counted: bool = True) -> episodes.PageEpisode:
    counted = is_counted and request.method == "GET"
    episode = episodes.page_open(episode_id=episode_id_of(token), step=step_of(request), is_counted=counted)
    if episode is None:
        raise Http404
    return episode


def step_of(request: HttpRequest) -> int | None:
    """The step that the harness says this request belongs to; a header that is no step is ignored."""
    header = request.headers.get(STEP_HEADER, "")
    return int(header) if STEP.fullmatch(header) else None


def _body(request: HttpRequest, *, limit: int) -> bytes:
    """The body, refused by its announced length before a byte of it is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > limit:
        raise GymError("too_large", f"This form takes at most {limit} bytes.", status=413)
    try:
        return request.body
    except UnreadablePostError as error:
        raise GymError("cut_off", "The request ended before its body did.") from error


def form_of(request: HttpRequest) -> QueryDict:
    form = _form_read(request)
    _length_check(form)
    return form


def _form_read(request: HttpRequest) -> QueryDict:
    limit = settings.ANSWER_MAX_CHARS
    body = _body(request, limit=limit * FORM_BYTES_PER_CHAR + FORM_SPARE_BYTES)
    if body and request.content_type != "application/x-www-form-urlencoded":
        raise GymError("not_a_form", "An answer is sent by the form of this page.")
    return QueryDict(body, encoding="utf-8")


def _length_check(form: QueryDict) -> None:
    limit = settings.ANSWER_MAX_CHARS
    if sum(map(len, form.getlist(ANSWER_FIELD))) > limit:
        raise GymError("answer_too_long", f"An answer has at most {limit} characters.", status=413)


def _answer(form: QueryDict) -> str | list[str]:
    """The submitted text, or the list of those that are filled in; GymError when it cannot be kept.

    Forms send line breaks as CRLF, whatever was typed; an answer is the same text through page and API.
    """
    given = [answer.replace("\r\n", "\n") for answer in form.getlist(ANSWER_FIELD)]
    answers = [answer for answer in given if answer.strip()]
    if PLACED in form:
        answers = given if answers else []
    if not answers:
        raise GymError("no_answer", "Give an answer first.", status=422)
    if len(answers) > ANSWERS_MAX:
        raise GymError("too_many_answers", f"At most {ANSWERS_MAX} answers can be given.", status=413)
    if any("\0" in answer for answer in answers):
        raise GymError("nul_in_answer", "An answer cannot hold NUL characters.")
    return answers[0] if len(answers) == 1 and not {SEVERAL, PLACED} & form.keys() else answers


def _one_more(request: HttpRequest, token: str, form: QueryDict) -> HttpResponse:
    """The page again with what was typed and one more field. Nothing is stored."""
    episode = episode_of(request, token, is_counted=False)
    if not episode.is_open:
        return taken_page(request, episode)
    typed = tuple(form.getlist(ANSWER_FIELD)[: ANSWERS_MAX - 1])
    return question_page(request, episode, answers=(*typed, ""))


def _not_taken(
    request: HttpRequest, token: str, error: GymError, *, typed: Sequence[str] = ()
) -> HttpResponse:
    """The page again, saying why; what was typed is still there."""
    episode = episode_of(request, token, is_counted=False)
    if not episode.is_open:
        return taken_page(request, episode)
    return question_page(request, episode, error=error, answers=tuple(typed))


def question_page(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    *,
    status: int = 200,
    error: GymError | None = None,
    answers: tuple[str, ...] = (),
) -> HttpResponse:
    """The page that shows a task and takes its answer; of a mock site the first page."""
    if episode.kind == dispatch.KIND:
        return _site(request, episode, status=error.status if error else status, error=error, answers=answers)
    kind = questions.get(episode.kind)
    look = look_read(episode.presentation)
    tools = episode.tools & kind.tools
    visit = Visit(tools=tools, query=request.GET.dict(), answers=answers, call=episode.call)
    drafts = (episode.call.input,) if episode.call else ("",)
    context = {
        **kind.render(episode.payload, visit),
        **_frame(request, episode, look),
        "wording": WORDINGS[look.wording],
        "tools": tools,
        "answers": answers or drafts,
        "takes_answer": episode.answer_channel == "page",
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
    answers: tuple[str, ...] = (),
) -> HttpResponse:
    """A page of a mock site, with the task above it."""
    kind = questions.get(episode.kind)
    look = look_read(episode.presentation)
    labels = [str(label) for label in episode.payload["fields"]]
    frame = {
        **kind.render(episode.payload, Visit()),
        **_frame(request, episode, look),
        "task": episode.payload["text"],
        "fields": list(zip_longest(labels, answers[: len(labels)], fillvalue="")),
        "takes_answer": episode.answer_channel == "page",
        "error": error,
    }
    return dispatch.answer(
        request,
        episode,
        path=path,
        form=form,
        step=step_of(request),
        frame=frame,
        status=0 if status == 200 else status,
    )


def _done(request: HttpRequest, episode: episodes.PageEpisode) -> HttpResponse:
    context = {
        **_frame(request, episode, look_read(episode.presentation)),
        "title": "Answer recorded",
        "text": "Your answer has been recorded. There is nothing more to do here.",
    }
    return render(request, "arena/message.html", context)


def taken_page(request: HttpRequest, episode: episodes.PageEpisode) -> HttpResponse:
    context = {
        **_frame(request, episode, look_read(episode.presentation)),
        "title": "An answer is already recorded",
        "text": "Only the first answer counts. There is nothing more to do here.",
    }
    return render(request, "arena/message.html", context, status=409)


def _frame(request: HttpRequest, episode: episodes.PageEpisode, look: Look) -> dict[str, object]:
    return {"look": look, "step": step_of(request), "is_recorded": episode.recording != "off"}


def _message(request: HttpRequest, *, title: str, status: int) -> HttpResponse:
    """A page that belongs to no episode: nothing in it depends on the request."""
    return render(request, "arena/message.html", {"look": Look(), "title": title}, status=status)
