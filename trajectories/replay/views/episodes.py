from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from trajectories.models import Episode, Submission
from trajectories.recording import prompts
from trajectories.replay import access
from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.forms import StepsForm
from trajectories.replay.selectors import episodes, steps
from trajectories.replay.views.listing import episode_listing


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
    golds = access.sees_golds(request.user)
    context = {
        "here": "episodes",
        "run": episode.run,
        "task": episode.task,
        "start": steps.first_index(episode_id=episode.pk),
        "siblings": episodes.neighbours_in_group(episode),
        "sees_golds": golds,
        "gold": episodes.gold_current(task_id=episode.task_id) if golds else None,
        "messages": _messages(episode),
        "events_tally": episodes.episode_events_tally(episode),
        "loose_events": steps.step_events(episode_id=episode.pk, index=None),
    }
    return render(request, "lab/episode.html", {**context, **_progress(request, episode)})


@lab_page
def episode_progress(request: LabRequest, episode_id: int) -> HttpResponse:
    """What changes while an episode is under way; 204 when nothing has since the reader's ``seen``."""
    episode = episodes.episode_get(episode_id)
    context = _progress(request, episode)
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "lab/_progress.html", context)


def _progress(request: LabRequest, episode: Episode) -> dict[str, Any]:
    first = StepsForm(request.GET).filters().get("first", 1)
    last = steps.last_index(episode_id=episode.pk)
    judgement = episodes.episode_judgement(episode)
    submission = episodes.episode_submission(episode)
    return {
        "episode": episode,
        "judgement": judgement,
        "evidence": _evidence_shown(judgement.evidence, golds=access.sees_golds(request.user)),
        "submission": submission,
        "answers": _answers(submission),
        "index": steps.step_index(episode_id=episode.pk, first=first),
        "first": first,
        "last": last,
        "seen": f"{episode.status}-{last}-{episode.close_reason}",
        "is_live": episodes.is_live(episode, now=timezone.now()),
    }


def _messages(episode: Episode) -> list[prompts.Message]:
    """What the model was told at the start, made again from its template; empty for another version's."""
    template = episode.group.template
    if episode.arm not in prompts.BUILT_ARMS or not template.startswith(prompts.VERSION):
        return []
    return prompts.messages_for(
        arm=episode.arm, template=template, question=episode.task.prompt, max_steps=episode.max_steps
    )


def _answers(submission: Submission | None) -> list[str]:
    """The answer as a list, whether one was given or several."""
    if submission is None:
        return []
    given = submission.answer if isinstance(submission.answer, list) else [submission.answer]
    return [str(part) for part in given]


def _evidence_shown(evidence: dict[str, Any], *, golds: bool) -> dict[str, Any]:
    """Only what was read from the answer, unless the reader may see golds too."""
    return evidence if golds else {name: value for name, value in evidence.items() if name == "parsed_answer"}
