"""Bookmarks of steps and episodes, and the notes that researchers wrote on them for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from trajectories.models import Episode, StepMark

# A list of steps has a sign at so many of them.
SIGNS_MAX = 1_000
NOTE_CHARS = 4_000
CHANGED = (
    "Your note was changed in another tab since this page showed it. That change was kept: "
    "compare the two, and save again."
)


@dataclass(frozen=True, kw_only=True)
class Marks:
    """The marks of one step (step 0: the whole episode): the reader's own, and the notes of others."""

    episode: int
    step: int
    own: StepMark | None
    others: list[StepMark]
    reader: int = 0
    error: str = ""
    posted: str | None = None  # a note that was sent but not stored

    @property
    def note(self) -> str:
        """The note that the form shows at first."""
        return (self.own.note if self.own else "") if self.posted is None else self.posted

    @property
    def version(self) -> str:
        return self.own.version if self.own else ""


def marks_of(
    user: User | AnonymousUser, *, episode_id: int, step: int, error: str = "", posted: str | None = None
) -> Marks:
    rows = StepMark.objects.select_related("user").filter(episode_id=episode_id, step=step).order_by("pk")
    marks = list(rows)
    return Marks(
        episode=episode_id,
        step=step,
        own=next((mark for mark in marks if mark.user_id == user.pk), None),
        others=[mark for mark in marks if mark.user_id != user.pk],
        reader=user.pk or 0,
        error=error,
        posted=posted,
    )


def list_marked_steps(episode_id: int) -> list[int]:
    """Return the steps of an episode that anyone has marked."""
    rows = StepMark.objects.filter(episode_id=episode_id, step__gt=0)
    return list(rows.order_by("step").values_list("step", flat=True).distinct()[:SIGNS_MAX])


def list_marks(
    user: User | AnonymousUser, *, is_all: bool, words: str, episode_id: int | None
) -> QuerySet[StepMark]:
    """List the reader's own or everyone's marks, newest first, with ``words`` in the note."""
    rows = StepMark.objects.select_related("user").order_by("-changed_at", "-pk")
    if not is_all:
        rows = rows.filter(user_id=user.pk or 0)
    if words:
        rows = rows.filter(note__icontains=words)
    if episode_id is not None:
        rows = rows.filter(episode_id=episode_id)
    return rows


def tasks_of(marks: list[StepMark]) -> dict[int, str]:
    """Return the task of each episode that still exists, by the episode's number."""
    episodes = Episode.objects.filter(pk__in={mark.episode_id for mark in marks})
    return dict(episodes.values_list("pk", "task__key"))


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
