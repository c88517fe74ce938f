"""The messages of an episode, for exports. The room that puts them together lies above this one."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.module_loading import import_string

from trajectories.record.prompts.sent import SentMessage

ADDRESS = "trajectories.rollouts.episodes.conversations.conversation_read"


def conversation(episode_id: int, step: int) -> list[SentMessage]:
    """The messages before a step, and its completion; of all steps with step 0.

    Empty if they cannot be made again.
    """
    read: Callable[[int, int], list[SentMessage]] = import_string(ADDRESS)
    return read(episode_id, step)
