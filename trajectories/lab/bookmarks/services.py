"""Marking steps. Readers change only their own marks."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from core.errors import GymError
from trajectories.models import StepMark

NOTE_CHARS = 4_000
CHANGED = (
    "Your note was changed in another tab since this page showed it. That change was kept: "
    "compare the two, and save again."
)


@transaction.atomic
def mark_save(user: User, *, episode_id: int, step: int, note: str | None = None, version: str = "") -> None:
    """Mark a step, or change the note of the mark; without ``note`` a mark that exists stays as it is.

    ``version`` is that of the note that the reader saw. ``GymError`` 409 if the note has changed since.
    """
    place: dict[str, Any] = {"user": user, "episode_id": episode_id, "step": step}
    mark, _ = StepMark.objects.select_for_update().get_or_create(**place)
    if note is None:
        return
    text = note.replace("\r\n", "\n").strip()[:NOTE_CHARS]
    if text == mark.note:
        return  # sent twice
    _version_check(mark, version)
    StepMark.objects.filter(pk=mark.pk).update(note=text, changed_at=Now())


@transaction.atomic
def mark_remove(user: User, *, episode_id: int, step: int, version: str = "") -> None:
    """Remove a mark with the note of that ``version``. ``GymError`` 409 if the note has changed since."""
    marks = StepMark.objects.select_for_update().filter(user=user, episode_id=episode_id, step=step)
    for mark in marks:
        _version_check(mark, version)
        mark.delete()


def _version_check(mark: StepMark, version: str) -> None:
    if mark.version != version:
        raise GymError("note_changed", CHANGED, status=409)
