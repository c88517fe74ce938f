"""Views of the list of bookmarks, and for bookmarking a step or an episode."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from core.database.integers import BIGINT_MAX, is_id
from core.errors import GymError
from trajectories.lab.bookmarks import selectors
from trajectories.shell.access import LabRequest, lab_action, lab_page, wants_fragment
from trajectories.shell.queries import episodes, steps

ROWS = 50
WORDS_MAX = 200


@lab_page
def bookmark_list(request: LabRequest) -> HttpResponse:
    """Show the reader's bookmarks, or everyone's with ``?who=all``; ``?q`` searches the notes."""
    is_all = request.GET.get("who") == "all"
    words = request.GET.get("q", "").replace("\0", "").strip()[:WORDS_MAX]
    number = request.GET.get("episode", "")
    episode_id = int(number) if is_id(number) and int(number) <= BIGINT_MAX else None
    marks = selectors.list_marks(request.user, is_all=is_all, words=words, episode_id=episode_id)
    page = Paginator(marks, ROWS).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    tasks = selectors.tasks_of(shown)
    context = {
        "here": "bookmarks",
        "rows": [(mark, tasks.get(mark.episode_id)) for mark in shown],
        "page": page,
        "is_all": is_all,
        "words": words,
        "episode": episode_id,
        "episodes": ",".join(map(str, sorted(tasks))),
    }
    return render(request, "lab/bookmarks/bookmarks.html", context)


@lab_action
def step_mark(request: LabRequest, episode_id: int, index: int = 0) -> HttpResponseBase:
    """Bookmark a step, or the episode if no step is given; ``do`` is ``save`` or ``remove``.

    ``version`` is the version of the note that the form showed. Scripts (``?fragment``) are sent the
    bookmarks as they are after the change.
    """
    reader = request.user
    if not isinstance(reader, User):
        raise PermissionDenied
    try:
        _mark(request, reader, episode_id=episode_id, index=index)
    except GymError as error:
        return _marks_render(request, episode_id, index, error=error)
    if wants_fragment(request):
        return _marks_render(request, episode_id, index)
    if request.POST.get("back") == "list":
        return redirect("bookmarks")
    return redirect(_address(episode_id, index))


def _mark(request: LabRequest, reader: User, *, episode_id: int, index: int) -> None:
    version = request.POST.get("version", "")
    if request.POST.get("do") == "remove":
        selectors.mark_remove(reader, episode_id=episode_id, step=index, version=version)
        return
    _require(episode_id, index)
    selectors.mark_save(reader, episode_id=episode_id, step=index, note=_note(request), version=version)


def _note(request: LabRequest) -> str | None:
    return request.POST["note"].replace("\0", "") if "note" in request.POST else None


def _marks_render(
    request: LabRequest, episode_id: int, index: int, *, error: GymError | None = None
) -> HttpResponse:
    marks = selectors.marks_of(
        request.user,
        episode_id=episode_id,
        step=index,
        error=error.message if error else "",
        # Scripts keep the text of the unsaved note themselves.
        posted=_note(request) if error and not wants_fragment(request) else None,
    )
    context = {"marks": marks, "address": _address(episode_id, index), "here": "bookmarks"}
    name = "_marks" if wants_fragment(request) else "conflict"
    status = error.status if error else HTTPStatus.OK
    return render(request, f"lab/bookmarks/{name}.html", context, status=status)


def _address(episode_id: int, index: int) -> str:
    return reverse("step" if index else "episode", args=[episode_id, index] if index else [episode_id])


def _require(episode_id: int, index: int) -> None:
    episode = episodes.episode_alone(episode_id)
    if index:
        steps.get_named_step(episode=episode, index=index)
