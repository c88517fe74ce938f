"""Lengths of a task's prompts under each history, as measured by clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from django.db.models import Avg, Case, Count, Max, When

from palaestra.protocol.arms import ARMS
from trajectories.models import PromptSize


@dataclass(frozen=True, kw_only=True)
class PromptSizes:
    """Prompt lengths over the episodes in which a task was met in one way.

    They are the mean length of all prompts of an episode, and the length of the longest prompt. Tokens are
    None unless known for all of them.
    """

    arm: str
    observation: str
    history: str
    episodes: int
    characters: float
    longest_characters: int
    tokens: float | None
    longest_tokens: int | None

    @property
    def shown(self) -> str:
        """The observation, in arms that have a page to observe."""
        return self.observation if ARMS[self.arm].has_page else ""


def prompt_sizes_of_task(*, task_id: int) -> Sequence[PromptSizes]:
    """The sizes by arm, observation and history, whichever history was played."""
    rows = (
        PromptSize.objects.filter(episode__task=task_id)
        .values_list("episode__arm", "episode__run__observation", "history")
        .annotate(
            Count("episode_id"),
            Avg("characters"),
            Max("longest_characters"),
            mean_tokens=Case(When(episode_id__count=Count("tokens"), then=Avg("tokens"))),
            most_tokens=Case(When(episode_id__count=Count("tokens"), then=Max("longest_tokens"))),
        )
        .order_by("episode__arm", "episode__run__observation", "history")
    )
    names = [field.name for field in fields(PromptSizes)]
    return [PromptSizes(**dict(zip(names, row, strict=True))) for row in rows]
