"""The page of an episode, the part of it that follows an open episode, and its prompt."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.behaviour.dom_replay import document
from trajectories.lab.bookmarks.selectors import Marks, marks_of
from trajectories.lab.episode.page import EpisodePage, episode_prompt_shown
from trajectories.lab.episode.recording import ActionPage, PageRecording
from trajectories.models import Episode
from trajectories.shell.access import LabRequest, lab_page, page_render, sees_golds
from trajectories.shell.queries import episodes
from trajectories.shell.updates import Updates


@lab_page
def episode_detail(request: LabRequest, episode_id: int) -> HttpResponse:
    marks = marks_of(request.user, episode_id=episode_id, step=0)
    return _render(request, "lab/episode/episode.html", episodes.episode_get(episode_id), marks=marks)


@lab_page
def episode_progress(request: LabRequest, episode_id: int) -> HttpResponse:
    """The part that changes while an episode runs; 204 if the reader has ``seen`` this version."""
    if request.GET.get("seen") == Updates(episodes.episode_live(episode_id)).version:
        return HttpResponse(status=204)
    episode = episodes.episode_get(episode_id)
    return _render(request, "lab/episode/_progress.html", episode, is_news=True)


@lab_page
def episode_prompt(request: LabRequest, episode_id: int) -> HttpResponse:
    """The prompt: a page, or with ``?fragment`` a panel of a step's page."""
    episode = episodes.episode_get(episode_id)
    messages = episode_prompt_shown(episode, golds=sees_golds(request.user))
    context = {"here": "search", "episode": episode, "run": episode.run, "messages": messages}
    return page_render(request, "episode/prompt", context)


@lab_page
def page_action(request: LabRequest, episode_id: int, number: int) -> HttpResponse:
    """One action that the pages of an episode recorded, with the page before it."""
    episode = episodes.episode_get(episode_id)
    page = ActionPage(recording=PageRecording(episode=episode), number=number)
    context = {"here": "search", "episode": episode, "run": episode.run, "page": page, "action": page.action}
    return page_render(request, "episode/page_action", context)


@lab_page
def page_action_dom(request: LabRequest, episode_id: int, number: int) -> HttpResponse:
    """The page before the action, rebuilt from its recording, to look at only."""
    episode = episodes.episode_get(episode_id)
    scene = ActionPage(recording=PageRecording(episode=episode), number=number).replay.scene
    if scene is None:
        raise Http404(f"Page action {number} of episode {episode_id} cannot be replayed from a recording.")
    html, policy = document.document_in_the_lab(scene)
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


def _render(
    request: LabRequest, template: str, episode: Episode, *, is_news: bool = False, marks: Marks | None = None
) -> HttpResponse:
    page = EpisodePage(
        episode=episode, updates=Updates(episode), query=request.GET, sees_golds=sees_golds(request.user)
    )
    context = {
        "here": "search",
        "page": page,
        "updates": page.updates,
        "episode": episode,
        "run": episode.run,
        "task": episode.task,
        "is_news": is_news,
        "marks": marks,
    }
    return render(request, template, context)
