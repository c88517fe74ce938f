"""The conversation that was sent to the model before a step, and the check of its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpResponse

from core.episodes.tokens import mask_tokens
from palaestra.protocol.histories import History, history_read
from trajectories.lab.step.media_views import PRIVATE_FILE
from trajectories.lab.step.views import step_number
from trajectories.models import Episode, Step
from trajectories.record.prompts import sent
from trajectories.record.prompts.conversation import measure_length
from trajectories.record.prompts.sent import SentMessage, Turn
from trajectories.rollouts.episodes import conversations
from trajectories.rollouts.episodes.prompt_hash import Check, prompt_check
from trajectories.shell.access import LabRequest, lab_page, part_render, sees_golds
from trajectories.shell.queries import episodes, steps
from trajectories.shell.text.questions import content_parts
from trajectories.shell.text.untrusted import first_line

# The page shows this many messages after the opening ones; earlier messages have pages of their own.
MESSAGES_SHOWN = 60
# Short messages and the last ones are part of the list; the others are fetched when they are opened.
SHORT_CHARS = 1_500
OPEN_LAST = 1
BEGINNING_CHARS = 120
FILL = "js/lab/step/fill.js"


@dataclass(frozen=True, kw_only=True)
class ShownMessage:
    """A message in the list. ``number`` counts from 1; ``is_whole`` if the list contains its whole text."""

    number: int
    sent: SentMessage
    is_whole: bool
    is_open: bool

    @property
    def role(self) -> str:
        return str(self.sent.message["role"])

    @property
    def how(self) -> str:
        return sent.HOW_LABELS.get(self.sent.how, "")

    @property
    def length(self) -> int:
        return measure_length(self.sent.message)

    @property
    def parts(self) -> list[dict[str, str]]:
        """The message's texts and pictures, and its tool calls as JSON."""
        message = self.sent.message
        parts = [_part(part) for part in content_parts(message["content"] or "")]
        calls = [
            {"text": f"{call['function']['name']}({call['function']['arguments']})"} for call in self.calls
        ]
        return [part for part in parts if part.get("text") or part.get("sha256")] + calls

    @property
    def calls(self) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = self.sent.message.get("tool_calls", [])
        return calls

    @property
    def pictures(self) -> int:
        return sum("sha256" in part for part in self.parts)

    @property
    def beginning(self) -> str:
        text = next((part["text"] for part in self.parts if part.get("text")), "")
        return first_line(mask_tokens(text), BEGINNING_CHARS)


@dataclass(frozen=True, kw_only=True)
class StepConversation:
    """The conversation before a step. ``sees_golds`` if the reader may see solutions of few-shot examples."""

    episode: Episode
    step: Step
    sees_golds: bool

    @property
    def history(self) -> History:
        return history_read(self.episode.run.history)

    @cached_property
    def is_too_long(self) -> bool:
        return conversations.is_too_long(self.episode.pk, last=self.step.index)

    @cached_property
    def messages(self) -> list[SentMessage]:
        """All messages; empty if the opening cannot be rebuilt or the conversation is too long."""
        return self._messages(with_solutions=self.sees_golds)

    @property
    def length(self) -> int:
        return sum(measure_length(one.message) for one in self.messages)

    @cached_property
    def opening(self) -> int:
        """Number of opening messages."""
        return sum(one.step is None for one in self.messages)

    def shown(self, *, until: int | None = None) -> list[ShownMessage]:
        """Return the opening messages and the last of the others, up to number ``until``."""
        last = min(until or len(self.messages), len(self.messages))
        first = max(self.opening + 1, last - MESSAGES_SHOWN + 1)
        numbers = [*range(1, self.opening + 1), *range(first, last + 1)]
        return [self._shown(number) for number in numbers]

    def message(self, number: int) -> ShownMessage | None:
        """Return one message with its whole text; None if there is no such message."""
        is_there = 1 <= number <= len(self.messages)
        return self._shown(number, is_whole=True) if is_there else None

    def earlier(self, shown: Sequence[ShownMessage]) -> int:
        """Return the number of the last message left out before the shown ones; 0 if none is left out."""
        after = [one.number for one in shown if one.sent.step is not None]
        return after[0] - 1 if after and after[0] - 1 > self.opening else 0

    def _shown(self, number: int, *, is_whole: bool = False) -> ShownMessage:
        one = self.messages[number - 1]
        is_last = number > len(self.messages) - OPEN_LAST
        is_short = measure_length(one.message) <= SHORT_CHARS
        return ShownMessage(number=number, sent=one, is_whole=is_whole or is_short, is_open=is_last)

    # ---- recorded turns

    def _messages(self, *, with_solutions: bool) -> list[SentMessage]:
        if self.is_too_long:
            return []
        return conversations.messages_before(
            self.episode, turns=self._turns, with_solutions=with_solutions, with_guidance=with_solutions
        )

    @cached_property
    def _turns(self) -> list[Turn]:
        return conversations.read_turns(self.episode, last=self.step.index)

    # ---- the hash

    @cached_property
    def check(self) -> Check:
        posted = self.step.more.get("prompt_sha256") if self.step.more else None
        messages = [one.message for one in self._messages(with_solutions=True)] if posted else []
        return prompt_check(messages, posted=posted)


def _part(part: dict[str, str]) -> dict[str, str]:
    """Replace a page's picture by its hash, so that it is identified by the hash alone."""
    text = part.get("text", "")
    is_hash = len(text) == hashlib.sha256().digest_size * 2 and "sha256" not in part
    return {"sha256": text} if is_hash and not set(text) - set("0123456789abcdef") else part


@lab_page
def step_conversation(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Show the messages with their lengths, as a page or with ``?fragment`` as a panel of the step's page.
    ``?until`` is the number of the last message to list.
    """
    conversation = _conversation(request, episode_id, index)
    shown = conversation.shown(until=step_number(request.GET.get("until", "")))
    context = {**_context(conversation), "shown": shown, "earlier": conversation.earlier(shown)}
    heading = f"Conversation before step {index}"
    return part_render(
        request, "step/conversation", context, heading=heading, crumb="conversation", script=FILL
    )


@lab_page
def step_message(request: LabRequest, episode_id: int, index: int, number: int) -> HttpResponse:
    """Show one whole message as a page, or with ``?fragment`` only its text."""
    conversation = _conversation(request, episode_id, index)
    message = conversation.message(number)
    if message is None:
        raise Http404(
            f"The conversation before step {index} of episode {episode_id} has no message {number}."
        )
    heading, crumb = f"Message {number} before step {index}", f"message {number}"
    context = {**_context(conversation), "message": message}
    return part_render(request, "step/message", context, heading=heading, crumb=crumb, script=FILL)


@lab_page
def step_messages(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Send all messages as JSON, with hashes in place of pictures."""
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
