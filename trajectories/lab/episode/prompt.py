"""The prompt of an episode, for reading."""

from __future__ import annotations

import logging
from typing import Any

from core.errors import GymError
from trajectories.models import Episode
from trajectories.record.prompts import conversation
from trajectories.rollouts.episodes.opening_messages import opening_messages

logger = logging.getLogger(__name__)

SHOWN_CHARS = 100_000


def episode_prompt_shown(episode: Episode, *, golds: bool) -> list[conversation.Message]:
    """Return an episode's opening messages, cut to a length that a page can hold.

    A whole mock site has millions of characters.

    Empty if a site was drawn from a salt that this installation does not have.
    """
    try:
        messages = opening_messages(episode, with_solutions=golds, with_guidance=golds)
    except GymError as error:
        logger.warning("The prompt of episode %s cannot be rebuilt: %s", episode.pk, error.message)
        return []
    return [{**message, "content": _cut(message["content"])} for message in messages]


def _cut(content: Any) -> Any:
    if not isinstance(content, str) or len(content) <= SHOWN_CHARS:
        return content
    half = SHOWN_CHARS // 2
    return f"{content[:half]}\n\n[{len(content) - 2 * half:,} characters left out]\n\n{content[-half:]}"
