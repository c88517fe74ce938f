from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render

from core.errors import GymError
from trajectories.capture import chunks
from trajectories.episodes import few_shot
from trajectories.lab import access, updates
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.episode.budgets import budget_reason
from trajectories.lab.forms import StepsForm, parameter_errors
from trajectories.lab.queries import episodes, programs, step_matches, steps
from trajectories.lab.queries.fidelity import episode_fidelity
from trajectories.lab.text import evidence
from trajectories.lab.text.questions import answer_named, sources_of
from trajectories.lab.text.values import fields_of, values_of
from trajectories.models import Episode, Submission
from trajectories.prompts import conversation
from trajectories.prompts.templates import Template

logger = logging.getLogger(__name__)

PROMPT_CHARS_SHOWN = 100_000
LOADS_SHOWN = 50
# Of the address of a step, cut off behind the episode: its steps are led to with it.
FIND = "find"
HIDDEN_REPLY = "(a solution, shown to whoever may see golds)"


@lab_page
def episode_detail(request: LabRequest, episode_id: int) -> HttpResponse:
    episode = episodes.episode_get(episode_id)
    progress = _progress(request, episode)
    form = progress["form"]
    context = {
        "here": "search",
        "errors": [
            *form.error_messages(),
            *parameter_errors(request.GET, known={FIND, *form.fields}, page="an episode"),
        ],
        "task": episode.task,
        "strip": _strip(episode, progress) if progress["start"] else None,
        "gold": episodes.gold_current(task_id=episode.task_id) if progress["sees_golds"] else None,
        "messages": _messages_shown(episode, golds=progress["sees_golds"]),
        "loose_events": steps.step_events(episode_id=episode.pk, index=None),
    }
    return render(request, "lab/episode/episode.html", {**context, **_about(episode), **progress})


@lab_page
def episode_progress(request: LabRequest, episode_id: int) -> HttpResponse:
    """What changes while an episode is under way; 204 when nothing has since the reader's ``seen``."""
    if request.GET.get("seen") == updates.seen_of(episodes.episode_followed(episode_id)):
        return HttpResponse(status=204)
    episode = episodes.episode_get(episode_id)
    context = {"is_news": True, **_about(episode), **_progress(request, episode)}
    return render(request, "lab/episode/_progress.html", context)


@lab_page
def episode_news(request: LabRequest, episode_id: int) -> HttpResponse:
    """What the head of the step viewer says of its episode; 204 when it has said so."""
    news = updates.news_of(episodes.episode_followed(episode_id))
    if request.GET.get("seen") == news["seen"]:
        return HttpResponse(status=204)
    return render(request, "lab/step/_updates.html", news)


@lab_page
def episode_prompt(request: LabRequest, episode_id: int) -> HttpResponse:
    """What the model was told at the start: a page, or with ``?fragment`` a part of the step's."""
    episode = episodes.episode_get(episode_id)
    messages = _messages_shown(episode, golds=access.sees_golds(request.user))
    fragment = access.wants_fragment(request) or "fragment" in request.GET
    context = {"here": "search", "episode": episode, "run": episode.run, "messages": messages}
    return render(request, "lab/step/_prompt.html" if fragment else "lab/step/prompt.html", context)


def _strip(episode: Episode, news: dict[str, Any]) -> steps.Strip:
    return steps.strip_around(
        episode_id=episode.pk, index=news["start"], gaps=news["gaps"], last=news["last"]
    )


def _about(episode: Episode) -> dict[str, Any]:
    return {
        "run": episode.run,
        "budget_reason": budget_reason(episode),
        "has_page": episode.has_page,
        **_loads(episode),
        "siblings": episodes.neighbours_in_group(episode),
        "events_tally": episodes.episode_events_tally(episode),
        "fidelity": episode_fidelity(episode_id=episode.pk),
    }


def _loads(episode: Episode) -> dict[str, Any]:
    """What was recorded of its pages: steps replay it, and without any it can still be read."""
    if episode.recording != Episode.Recording.FULL:
        return {"loads": [], "loads_count": 0}
    found = chunks.recorded_pages(episode_id=episode.pk)
    return {"loads": found[:LOADS_SHOWN], "loads_count": len(found)}


def _progress(request: LabRequest, episode: Episode) -> dict[str, Any]:
    news = updates.news_of(episode)
    form = StepsForm(request.GET, last=news["last"])
    asked = form.filters()
    is_tail = asked.get("tail") == "1"
    first = steps.tail_first(episode_id=episode.pk) if is_tail else asked.get("first", 1)
    index = steps.step_index(episode_id=episode.pk, first=first)
    judgement = episodes.episode_judgement(episode)
    golds = access.sees_golds(request.user)
    submission = episodes.episode_submission(episode)
    sources = sources_of(episode.task, episode.variation)
    fields = fields_of(episode.task)
    find = step_matches.find_asked(request.GET.get(FIND))
    handed = f"&{urlencode({FIND: find})}" if find else ""
    return {
        "form": form,
        "find": find,
        "handed": handed,
        "judgement": judgement,
        "sees_golds": golds,
        "readings": evidence.readings_of(judgement.evidence, golds=golds, fields=fields),
        "comparison": evidence.comparison_of(judgement.evidence, golds=golds),
        "lacks_comparison": evidence.lacks_comparison(episode.task, judgement.current, judgement.evidence),
        "evidence": judgement.evidence if golds else {},
        "submission": submission,
        "sources": sources,
        "answers": [answer_named(answer, sources) for answer in _answers(submission)],
        "values": values_of(fields, given=submission.answer) if submission else [],
        "index": index,
        "calls": programs.calls_of(episode),
        "first": first,
        "place": ("tail=1" if is_tail else f"first={first}") + handed,
        "latest": f"?tail=1{handed}#latest" if index.next_from else "#latest",
        **news,
    }


def _messages(episode: Episode, *, golds: bool = False) -> list[conversation.Message]:
    """What the model was told at the start, made again from its template; empty for another version's.

    Solved tasks show their solutions to whoever sees ``golds``.
    """
    template = episode.group.template
    if not Template(template).is_known:
        return []
    task = episode.task
    question = conversation.question_of(
        kind=task.kind, prompt=task.prompt, payload=task.payload, variation=episode.variation
    )
    return conversation.messages_for(
        arm=episode.arm,
        template=template,
        question=question,
        max_steps=episode.max_steps,
        channel=episode.answer_channel,
        examples=_solved(episode, golds=golds),
    )


def _messages_shown(episode: Episode, *, golds: bool) -> list[conversation.Message]:
    """The messages with texts cut that no page should hold: a whole mock site has millions of characters.

    None where a site was drawn from a salt that this installation does not have.
    """
    try:
        messages = _messages(episode, golds=golds)
    except GymError as error:
        logger.warning("What episode %s was told cannot be made again: %s", episode.pk, error.message)
        return []
    return [{**message, "content": _cut(message["content"])} for message in messages]


def _cut(content: Any) -> Any:
    if not isinstance(content, str) or len(content) <= PROMPT_CHARS_SHOWN:
        return content
    half = PROMPT_CHARS_SHOWN // 2
    left_out = len(content) - 2 * half
    return f"{content[:half]}\n\n[{left_out:,} characters are left out here]\n\n{content[-half:]}"


def _solved(episode: Episode, *, golds: bool) -> list[conversation.Example]:
    ids = episode.group.examples or []
    solved = few_shot.Examples(solved=few_shot.solved_load(set(ids), run=episode.run)).solved_of(ids)
    return solved if golds else [replace(one, reply=HIDDEN_REPLY) for one in solved]


def _answers(submission: Submission | None) -> list[str]:
    """The answer as a list, whether one was given or several."""
    if submission is None:
        return []
    given = submission.answer if isinstance(submission.answer, list) else [submission.answer]
    return [str(part) for part in given]
