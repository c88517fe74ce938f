"""The conversation sent to the model before a step: its list, one message, and all of it as JSON."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpResponse

from core.tokens import mask_tokens
from trajectories.lab.step.conversation import StepConversation
from trajectories.lab.step.data_views import PRIVATE_FILE
from trajectories.lab.step.views import step_number
from trajectories.shell.access import LabRequest, lab_page, page_render, sees_golds
from trajectories.shell.queries import episodes, steps


@lab_page
def step_conversation(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The messages with their lengths: a page, or with ``?fragment`` a panel of the step's. ``?until`` is the
    number of the last message to list."""
    conversation = _conversation(request, episode_id, index)
    shown = conversation.shown(until=step_number(request.GET.get("until", "")))
    context = {**_context(conversation), "shown": shown, "earlier": conversation.earlier(shown)}
    return page_render(request, "step/conversation", context)


@lab_page
def step_message(request: LabRequest, episode_id: int, index: int, number: int) -> HttpResponse:
    """One whole message: a page, or with ``?fragment`` its text."""
    conversation = _conversation(request, episode_id, index)
    message = conversation.message(number)
    if message is None:
        raise Http404(
            f"The conversation before step {index} of episode {episode_id} has no message {number}."
        )
    return page_render(request, "step/message", {**_context(conversation), "message": message})


@lab_page
def step_messages(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """All messages as JSON; pictures are named by their hashes."""
    conversation = _conversation(request, episode_id, index)
    messages = [one.message for one in conversation.messages]
    text = mask_tokens(json.dumps(messages, ensure_ascii=False, indent=1))
    return HttpResponse(text, content_type="application/json", headers=PRIVATE_FILE)


def _conversation(request: LabRequest, episode_id: int, index: int) -> StepConversation:
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    return StepConversation(episode=episode, step=step, sees_golds=sees_golds(request.user))


def _context(conversation: StepConversation) -> dict[str, Any]:
    episode = conversation.episode
    shown = {"episode": episode, "run": episode.run, "step": conversation.step}
    return {"here": "search", **shown, "conversation": conversation}
