"""Marking steps. A reader changes nobody's marks but their own."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models.functions import Now

from trajectories.models import StepMark

NOTE_CHARS = 4_000


def mark_save(user: User, *, episode_id: int, step: int, note: str) -> None:
    """Mark a step, or change the note of the mark."""
    StepMark.objects.update_or_create(
        user=user,
        episode_id=episode_id,
        step=step,
        defaults={"note": note.strip()[:NOTE_CHARS], "changed_at": Now()},
    )


def mark_remove(user: User, *, episode_id: int, step: int) -> None:
    StepMark.objects.filter(user=user, episode_id=episode_id, step=step).delete()
