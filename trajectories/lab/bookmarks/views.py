"""The list of bookmarks, and marking a step or an episode."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from core.integers import BIGINT_MAX, is_id
from trajectories.lab.access import LabRequest, lab_action, lab_page
from trajectories.lab.bookmarks import selectors, services
from trajectories.lab.queries import episodes, steps

ROWS = 50
WORDS_MAX = 200


@lab_page
def bookmark_list(request: LabRequest) -> HttpResponse:
    """The reader's bookmarks, with ``?who=all`` everyone's; ``?q`` is searched for in the notes."""
    is_all = request.GET.get("who") == "all"
    words = request.GET.get("q", "").replace("\0", "").strip()[:WORDS_MAX]
    number = request.GET.get("episode", "")
    episode_id = int(number) if is_id(number) and int(number) <= BIGINT_MAX else None
    marks = selectors.marks_listed(request.user, is_all=is_all, words=words, episode_id=episode_id)
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
    """Mark a step, or the episode if no step is named; ``do`` is ``save``, ``remove`` or ``remove_note``."""
    reader = request.user
    if not isinstance(reader, User):
        raise PermissionDenied
    do = request.POST.get("do")
    if do in ("remove", "remove_note"):
        services.mark_remove(reader, episode_id=episode_id, step=index, with_note=do == "remove_note")
    else:
        _require(episode_id, index)
        note = request.POST["note"].replace("\0", "") if "note" in request.POST else None
        services.mark_save(reader, episode_id=episode_id, step=index, note=note)
    if request.POST.get("back") == "list":
        return redirect("bookmarks")
    here = [episode_id, index] if index else [episode_id]
    return redirect(reverse("step" if index else "episode", args=here))


def _require(episode_id: int, index: int) -> None:
    episode = episodes.episode_alone(episode_id)
    if index:
        steps.step_named(episode=episode, index=index)
