"""Why an episode's step budget differs from its task's."""

from __future__ import annotations

from core.arms import ARMS
from core.errors import GymError
from core.presentation import look_read
from trajectories.episodes.drafts import max_steps_of
from trajectories.models import Episode


def budget_reason(episode: Episode) -> str:
    """Empty if it does not differ."""
    task = episode.task
    if episode.max_steps == task.max_steps:
        return ""
    usual = _usual(episode)
    if usual is None:
        return f"differs from its task's {task.max_steps}"
    if episode.max_steps != usual:
        return f"set when opened; the task has {task.max_steps}"
    if ARMS[episode.arm].is_free_text:
        return f"no page; with one the task has {task.max_steps}"
    return f"{task.max_steps} for the task, the rest for its look"


def _usual(episode: Episode) -> int | None:
    """None if unknown: an old episode may have a look, kind or payload that this version lacks."""
    try:
        return max_steps_of(episode.task, arm=episode.arm, look=look_read(episode.presentation))
    except (GymError, LookupError, TypeError, ValueError, AttributeError):
        return None
