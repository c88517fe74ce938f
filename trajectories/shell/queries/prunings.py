"""Record of what was pruned from an episode, for display on pages."""

from __future__ import annotations

from typing import Literal

from trajectories.models import Pruning

RECORDING_PRUNED = "The recording was pruned, as the episode is old: `manage.py prune` deleted it."


def pruning_of(episode_id: int) -> Pruning | None:
    return Pruning.objects.filter(pk=episode_id).first()


def is_pruned(episode_id: int, what: Literal["recordings", "screenshots"]) -> bool:
    return Pruning.objects.filter(pk=episode_id, **{f"{what}_at__isnull": False}).exists()
