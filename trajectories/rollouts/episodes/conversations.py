"""The conversation of an episode, rebuilt from its opening messages and its steps."""

from __future__ import annotations

import logging

from core.errors import GymError
from palaestra.protocol.arms import ARMS
from palaestra.protocol.conversation import Shown, took_over
from palaestra.protocol.grammars import DEFAULT as FREE_TEXT
from palaestra.protocol.grammars import GRAMMARS, Grammar
from palaestra.protocol.histories import history_read
from palaestra.protocol.observations import OBSERVATION_FORMATS
from trajectories.models import Episode, Step
from trajectories.record.prompts import sent
from trajectories.record.prompts.conversation import Message, blob_address
from trajectories.record.prompts.sent import SentMessage, Turn
from trajectories.rollouts.episodes.forks.lineage import chars_until, list_held_steps, turns_until
from trajectories.rollouts.episodes.opening_messages import opening_messages

logger = logging.getLogger(__name__)

# Longer conversations are not rebuilt.
STEPS_MAX, CHARS_MAX = 1_000, 12_000_000


def is_too_long(episode_id: int, *, last: int) -> bool:
    """Return whether the conversation up to the step ``last`` is too long to be rebuilt.

    The steps that a fork inherited count too.
    """
    if len(list_held_steps(episode_id, until=last)) > STEPS_MAX:
        return True
    return chars_until(episode_id, last) > CHARS_MAX


def messages_before(
    episode: Episode, *, turns: list[Turn], with_solutions: bool, with_guidance: bool = False
) -> list[SentMessage]:
    """Return the messages sent before the last of ``turns``, none if the opening cannot be rebuilt."""
    try:
        opening = opening_messages(episode, with_solutions=with_solutions, with_guidance=with_guidance)
    except GymError as error:
        logger.warning("The prompt of episode %s cannot be rebuilt: %s", episode.pk, error.message)
        return []
    if not opening:
        return []
    return sent.messages_sent(
        history=history_read(episode.run.history), grammar=grammar_of(episode), opening=opening, turns=turns
    )


def grammar_of(episode: Episode) -> Grammar:
    return GRAMMARS[FREE_TEXT if ARMS[episode.arm].is_free_text else episode.run.grammar]


def read_turns(episode: Episode, *, last: int, first: int = 1) -> list[Turn]:
    """Return the steps ``first`` to ``last`` as turns. A fork's own steps follow those that it inherited."""
    turns: list[Turn] = []
    result = message = ""
    taken: list[int] = []  # a person's steps since the agent's last one
    for past in turns_until(episode.pk, last, since=first):
        is_persons = past.actor == Step.Actor.PERSON
        if taken and not is_persons:
            message = took_over(message, first=taken[0], last=taken[-1])
        taken = [*taken, past.index] if is_persons else []
        form = OBSERVATION_FORMATS.get(past.observation_kind)
        shown = Shown(
            kind=past.observation_kind or "text",
            text=past.observation_text,
            picture=past.screenshot if form and form.has_screenshot else "",
            result=result,
            result_message=message,
        )
        has_shown = episode.has_page or past.index > 1
        turns.append(Turn(index=past.index, raw=past.raw, shown=shown if has_shown else None))
        result, message = past.action_result, past.result_message or ""
    return turns


def read_inherited_messages(fork: Episode) -> list[Message]:
    """Return the parent's messages before the step where ``fork`` begins, without the opening messages.

    Empty if they are too long to be rebuilt. Pictures are given as blob addresses.
    """
    parent = Episode.objects.select_related("run", "group", "task").filter(forks=fork).first()
    last = fork.begins_after + 1
    if parent is None or is_too_long(parent.pk, last=last):
        return []
    sent_before = messages_before(parent, turns=read_turns(parent, last=last), with_solutions=False)
    return [_with_addresses(one.message) for one in sent_before if one.step is not None]


def _with_addresses(message: Message) -> Message:
    content = message["content"]
    if isinstance(content, str):
        return message
    parts = [
        {"type": "image_url", "image_url": {"url": blob_address(part["image_url"]["url"])}}
        if part["type"] == "image_url"
        else part
        for part in content
    ]
    return {**message, "content": parts}


def conversation_read(episode_id: int, step: int) -> list[SentMessage]:
    """Return the messages before a step, and the step's completion. Step 0 means all steps.

    Solutions in few-shot examples stay hidden. Empty if the episode, a completion or the opening messages are
    missing, or if the conversation is too long.
    """
    rows = Episode.objects.select_related("run", "group", "task")
    episode = rows.filter(pk=episode_id).first()
    last = (
        step
        or Step.objects.filter(episode_id=episode_id)
        .order_by("-index")
        .values_list("index", flat=True)
        .first()
    )
    if episode is None or not last or is_too_long(episode_id, last=last):
        return []
    turns = read_turns(episode, last=last)
    if not turns or turns[-1].index != last or not all(turn.raw for turn in turns):
        return []
    before = messages_before(episode, turns=turns, with_solutions=False)
    completion = sent.completion(turns[-1].raw, grammar_of(episode))
    return [*before, SentMessage(message=completion, step=last)] if before else []
