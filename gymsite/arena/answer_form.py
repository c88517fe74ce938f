"""The view that accepts submissions of the answer form."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse

from core.errors import GymError
from gymsite.arena import callers, forms, submissions, views
from gymsite.arena.sites import pop_ups
from tasks_app import kinds


@views.only("POST")
def submit(request: HttpRequest, token: str) -> HttpResponse:
    """Accept the episode's answer. Raises ``Http404`` if the episode has no pages.

    Sending the same answer again succeeds; a different answer changes nothing. If the run has first answers
    checked, the first one leads back to the form.
    """
    episode_id = views.find_episode_id(request, token)
    try:
        form = forms.form_read(request)
    except GymError as error:
        return _not_taken(request, token, error)
    typed, back = form.getlist(forms.ANSWER_FIELD)[: forms.ANSWERS_MAX], form.get("back", "")
    try:
        forms.length_check(form)
        if forms.MORE_FIELD in form:
            return _one_more(request, token, typed)
        answer = forms.answer_read(form)
    except GymError as error:
        return _not_taken(request, token, error, typed=typed, back=back)
    if callers.read_as_of(request) is not None:
        return views.message_instead(request, views.NOT_NOW)
    stored = submissions.submission_store(
        episode_id=episode_id,
        answer=answer,
        step=callers.read_step(request),
        number=forms.number_read(form),
        takeover=callers.get_takeover(request),
    )
    if stored == "gone":
        raise Http404
    if stored == "to_check":
        return forms.SeeOther(f"./{_read_page(back)}" if back else f"./{_query(request)}")
    if stored in ("stored", "same"):
        return forms.SeeOther("done")
    return _not_stored(request, token, stored, typed=typed)


def _not_stored(
    request: HttpRequest, token: str, stored: submissions.Stored, *, typed: Sequence[str]
) -> HttpResponse:
    episode = views.find_episode(request, token, is_counted=False)
    if stored == "other":
        return views.taken_page(request, episode)
    answers = tuple(typed) if stored == "not_second" else ()
    return views.question_page(request, episode, status=409, answers=answers)


def _one_more(request: HttpRequest, token: str, typed: Sequence[str]) -> HttpResponse:
    """Show the page again with the typed text and one more field, without storing anything."""
    episode = views.find_episode(request, token, is_counted=False)
    if not episode.is_open:
        return views.taken_page(request, episode)
    return views.question_page(request, episode, answers=(*typed[: forms.ANSWERS_MAX - 1], ""))


def _not_taken(
    request: HttpRequest, token: str, error: GymError, *, typed: Sequence[str] = (), back: str = ""
) -> HttpResponse:
    """Show the question's page again with the reason and the typed text.

    On a mock site, redirect to the open page instead, whose task bar keeps the typed text itself.
    """
    episode = views.find_episode(request, token, is_counted=False)
    if not episode.is_open:
        return views.taken_page(request, episode)
    if episode.kind == kinds.SITE and error.code in {**forms.REFUSALS, **forms.UNREADABLE}:
        return views.refused_page("./", page=_read_page(back), code=error.code)
    return views.question_page(request, episode, error=error, answers=tuple(typed))


def _read_page(back: str) -> str:
    """Return the page of a mock site that the form was sent from, or "" if ``back`` is no such page."""
    return back if pop_ups.BACK.fullmatch(back) else ""


def _query(request: HttpRequest) -> str:
    """Return the address's query, which holds the view of a table that the form was sent from."""
    return f"?{request.GET.urlencode()}" if request.GET else ""
