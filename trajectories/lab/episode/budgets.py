"""Why an episode has other steps to spend than its task's page says."""

from __future__ import annotations

from core.arms import ARMS
from core.errors import GymError
from core.presentation import look_read
from trajectories.episodes.drafts import max_steps_of
from trajectories.models import Episode


def budget_reason(episode: Episode) -> str:
    """Empty where the episode has what its task names."""
    task = episode.task
    if episode.max_steps == task.max_steps:
        return ""
    usual = _usual(episode)
    if usual is None:
        return f"other than its task's {task.max_steps}"
    if episode.max_steps != usual:
        return f"set when it was opened; the task has {task.max_steps}"
    if ARMS[episode.arm].is_free_text:
        return f"there is no page; on one the task has {task.max_steps}"
    return f"{task.max_steps} for the task, the rest for what this look adds"


def _usual(episode: Episode) -> int | None:
    """None where it cannot be known any more: an old episode may have a look, a kind or a payload that this
    version does not know."""
    try:
        return max_steps_of(episode.task, arm=episode.arm, look=look_read(episode.presentation))
    except (GymError, LookupError, TypeError, ValueError, AttributeError):
        return None
