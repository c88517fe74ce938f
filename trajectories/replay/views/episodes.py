from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from trajectories.models import Episode, Submission
from trajectories.recording import prompts, solving
from trajectories.replay import access
from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.evidence import readings_of
from trajectories.replay.forms import StepsForm
from trajectories.replay.problems import answer_named, sources_of
from trajectories.replay.selectors import calls, episodes, steps
from trajectories.replay.views.listing import episode_listing

HIDDEN_REPLY = "(a solution, shown to whoever may see golds)"


@lab_page
def episode_list(request: LabRequest) -> HttpResponse:
    listing = episode_listing(request.GET)
    fragment = access.wants_fragment(request)
    return render(
        request,
        "lab/_episode_table.html" if fragment else "lab/episodes.html",
        {"here": "episodes", **listing},
    )


@lab_page
def episode_detail(request: LabRequest, episode_id: int) -> HttpResponse:
    episode = episodes.episode_get(episode_id)
    progress = _progress(request, episode)
    context = {
        "here": "episodes",
        "run": episode.run,
        "task": episode.task,
        "has_page": episode.arm in prompts.ARMS_WITH_PAGE,
        "start": steps.first_index(episode_id=episode.pk),
        "siblings": episodes.neighbours_in_group(episode),
        "gold": episodes.gold_current(task_id=episode.task_id) if progress["sees_golds"] else None,
        "messages": _messages(episode, golds=progress["sees_golds"]),
        "events_tally": episodes.episode_events_tally(episode),
        "loose_events": steps.step_events(episode_id=episode.pk, index=None),
    }
    return render(request, "lab/episode.html", {**context, **progress})


@lab_page
def episode_progress(request: LabRequest, episode_id: int) -> HttpResponse:
    """What changes while an episode is under way; 204 when nothing has since the reader's ``seen``."""
    episode = episodes.episode_get(episode_id)
    if request.GET.get("seen") == _seen(episode, last=steps.last_index(episode_id=episode.pk)):
        return HttpResponse(status=204)
    return render(request, "lab/_progress.html", _progress(request, episode))


def _seen(episode: Episode, *, last: int) -> str:
    """What has to differ for the page to be worth drawing again."""
    mark = calls.calls_mark(episode)
    return f"{episode.status}-{last}-{episode.verdict_id or ''}-{episode.close_reason}{mark}"


def _progress(request: LabRequest, episode: Episode) -> dict[str, Any]:
    first = StepsForm(request.GET).filters().get("first", 1)
    last = steps.last_index(episode_id=episode.pk)
    judgement = episodes.episode_judgement(episode)
    golds = access.sees_golds(request.user)
    submission = episodes.episode_submission(episode)
    sources = sources_of(episode.task, episode.arrangement)
    return {
        "episode": episode,
        "judgement": judgement,
        "sees_golds": golds,
        "readings": readings_of(judgement.evidence, golds=golds),
        "evidence": judgement.evidence if golds else {},
        "submission": submission,
        "sources": sources,
        "answers": [answer_named(answer, sources) for answer in _answers(submission)],
        "index": steps.step_index(episode_id=episode.pk, first=first),
        "calls": calls.calls_of(episode),
        "first": first,
        "last": last,
        "seen": _seen(episode, last=last),
        "is_live": episodes.is_live(episode, now=timezone.now()),
    }


def _messages(episode: Episode, *, golds: bool = False) -> list[prompts.Message]:
    """What the model was told at the start, made again from its template; empty for another version's.

    Solved tasks show their solutions to whoever sees ``golds``.
    """
    template = episode.group.template
    if episode.arm not in prompts.BUILT_ARMS or not template.startswith(prompts.VERSION):
        return []
    task = episode.task
    question = prompts.question_of(
        kind=task.kind, prompt=task.prompt, payload=task.payload, arrangement=episode.arrangement
    )
    return prompts.messages_for(
        arm=episode.arm,
        template=template,
        question=question,
        max_steps=episode.max_steps,
        solved=_solved(episode, golds=golds),
    )


def _solved(episode: Episode, *, golds: bool) -> list[prompts.Solved]:
    ids = episode.group.exemplars or []
    solved = solving.Exemplars(solved=solving.solved_load(set(ids), run=episode.run)).solved_of(ids)
    return solved if golds else [replace(one, reply=HIDDEN_REPLY) for one in solved]


def _answers(submission: Submission | None) -> list[str]:
    """The answer as a list, whether one was given or several."""
    if submission is None:
        return []
    given = submission.answer if isinstance(submission.answer, list) else [submission.answer]
    return [str(part) for part in given]
