"""The prompt of an episode, rebuilt from its template for reading."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from core.errors import GymError
from trajectories.episodes import few_shot
from trajectories.models import Episode
from trajectories.prompts import conversation
from trajectories.prompts.templates import Template

logger = logging.getLogger(__name__)

SHOWN_CHARS = 100_000
HIDDEN_REPLY = "(a solution, visible to users who may see golds)"


def episode_prompt(episode: Episode, *, golds: bool = False) -> list[conversation.Message]:
    """The messages at the start of an episode; empty if its template is not one of ours.

    Few-shot examples show their solutions only with ``golds``.
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
        examples=_examples(episode, golds=golds),
    )


def episode_prompt_shown(episode: Episode, *, golds: bool) -> list[conversation.Message]:
    """The same, cut to a length that a page can hold: a whole mock site has millions of characters.

    Empty if a site was drawn from a salt that this installation does not have.
    """
    try:
        messages = episode_prompt(episode, golds=golds)
    except GymError as error:
        logger.warning("The prompt of episode %s cannot be rebuilt: %s", episode.pk, error.message)
        return []
    return [{**message, "content": _cut(message["content"])} for message in messages]


def _cut(content: Any) -> Any:
    if not isinstance(content, str) or len(content) <= SHOWN_CHARS:
        return content
    half = SHOWN_CHARS // 2
    return f"{content[:half]}\n\n[{len(content) - 2 * half:,} characters left out]\n\n{content[-half:]}"


def _examples(episode: Episode, *, golds: bool) -> list[conversation.Example]:
    ids = episode.group.examples or []
    solved = few_shot.Examples(solved=few_shot.solved_load(set(ids), run=episode.run)).solved_of(ids)
    return solved if golds else [replace(one, reply=HIDDEN_REPLY) for one in solved]
