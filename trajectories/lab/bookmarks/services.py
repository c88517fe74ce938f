"""Marking steps. A reader changes nobody's marks but their own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models.functions import Now

from trajectories.models import StepMark

NOTE_CHARS = 4_000


def mark_save(user: User, *, episode_id: int, step: int, note: str | None = None) -> None:
    """Mark a step, or change the note of the mark; without ``note`` a mark that exists stays as it is."""
    place: dict[str, Any] = {"user": user, "episode_id": episode_id, "step": step}
    if note is None:
        StepMark.objects.get_or_create(**place)
        return
    defaults = {"note": note.strip()[:NOTE_CHARS], "changed_at": Now()}
    StepMark.objects.update_or_create(**place, defaults=defaults)


def mark_remove(user: User, *, episode_id: int, step: int, with_note: bool) -> None:
    """Take a mark off. One with a note stays, unless that is to go too: the reader may not have seen it."""
    marks = StepMark.objects.filter(user=user, episode_id=episode_id, step=step)
    (marks if with_note else marks.filter(note="")).delete()
